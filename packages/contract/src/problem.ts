import { z } from 'zod';
import { type ErrorCode, errorCodes } from './error-codes.ts';

const codes = Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]];

/** RFC 9457 problem details, the body of every error. */
export const problemSchema = z
  .object({
    type: z.string().meta({ description: 'URN that names the kind of problem.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'One sentence that says what is wrong.' }),
    code: z.enum(codes).meta({ description: 'Stable code to switch on.' }),
    request_id: z.string().meta({ description: 'Names this request in the log of the service.' }),
    errors: z
      .array(z.object({ location: z.enum(['query', 'path', 'body', 'header']), name: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'Each invalid value, for validation errors.' }),
  })
  .meta({ id: 'Problem' });

export type Problem = z.infer<typeof problemSchema>;
