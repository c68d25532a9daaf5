import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '../../access/authenticate.ts';
import type { Db } from '../../database/database.ts';
import { AppError } from '../../platform/app-error.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Logger } from '../../platform/logger.ts';
import { type ArtifactCaller, authenticateArtifactRequest } from '../authenticate-artifact-request.ts';
import type { IsOwnName } from '../own-name.ts';
import type { PullRecorder } from '../pull-recorder.ts';
import { sendArtifact } from '../send-artifact.ts';
import { sendDocument } from '../send-document.ts';
import { mediaTypeOf, preferredForm } from './packument-form.ts';
import { createPackuments, type PackumentAnswer } from './packuments.ts';
import { refuseEndpoint, refuseMethod } from './refusals.ts';
import { renderNpmError } from './render-error.ts';
import { type NpmTarget, parseNpmPath } from './request-path.ts';
import { createTarballs } from './tarballs.ts';
import type { NpmUpstream } from './upstream.ts';

export interface NpmArtifactsDeps {
  db: Db;
  authenticator: Authenticator;
  blobs: BlobStore;
  /** null: only sealed versions are served. */
  upstream: NpmUpstream | null;
  pulls: PullRecorder;
  isOwnName: IsOwnName;
  log: Logger;
  /** Address under which the client reached the service, without a trailing slash. */
  publicUrlOf(request: FastifyRequest): string;
}

type Reads = ReturnType<typeof createReads>;

/** The npm registry protocol, read-only, below whatever prefix it is registered with. */
export function npmArtifacts(deps: NpmArtifactsDeps): FastifyPluginAsync {
  return async (scope) => {
    const reads = createReads(deps, scope.prefix);
    const authenticate = ({ headers }: FastifyRequest) =>
      authenticateArtifactRequest(deps.authenticator, headers.authorization);
    scope.setErrorHandler(renderNpmError);
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('x-content-type-options', 'nosniff');
      // Before the body: what somebody tries to publish is not read.
      if (isRead(request)) return;
      await authenticate(request);
      throw refusalOf(request, scope.prefix);
    });
    scope.all('/*', async (request, reply) => {
      const caller = await authenticate(request);
      await answer(reads, { request, reply, caller, target: targetOf(request, scope.prefix) });
      return reply;
    });
  };
}

function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function refusalOf(request: FastifyRequest, prefix: string): AppError {
  const target = targetOf(request, prefix);
  return target.kind === 'other' ? refuseEndpoint(target.path) : refuseMethod(request.method);
}

/** From the path as it was sent: the router has decoded its own copy, which says less. */
function targetOf(request: FastifyRequest, prefix: string): NpmTarget {
  const [path = ''] = (request.raw.url ?? '').split('?', 1);
  if (!path.startsWith(`${prefix}/`)) throw new AppError('not_found', 'There is nothing at this path.');
  return parseNpmPath(path.slice(prefix.length + 1));
}

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
  caller: ArtifactCaller;
}

async function answer(reads: Reads, { target, ...exchange }: Exchange & { target: NpmTarget }): Promise<void> {
  switch (target.kind) {
    case 'packument':
      return reads.packument(exchange, target);
    case 'manifest':
      return reads.manifest(exchange, target);
    case 'tarball':
      return reads.tarball(exchange, target);
    case 'ping':
      return void exchange.reply.send({});
    case 'whoami':
      return void exchange.reply.send({ username: exchange.caller.projectName || exchange.caller.caller.tokenId });
    case 'other':
      throw refuseEndpoint(target.path);
  }
}

type TargetOf<Kind extends NpmTarget['kind']> = Extract<NpmTarget, { kind: Kind }>;

function createReads(deps: NpmArtifactsDeps, prefix: string) {
  const packuments = createPackuments(deps);
  const findTarball = createTarballs(deps);
  const registryUrlOf = (request: FastifyRequest) => `${deps.publicUrlOf(request)}${prefix}`;
  return {
    packument: async ({ request, reply, caller: { caller } }: Exchange, { name }: TargetOf<'packument'>) => {
      const form = preferredForm(request.headers.accept);
      const found = await packuments.packument(caller, { name, form, registryUrl: registryUrlOf(request) });
      if (found === null) throw absent(name);
      send({ request, reply }, found, mediaTypeOf[form]);
    },
    manifest: async ({ request, reply, caller: { caller } }: Exchange, target: TargetOf<'manifest'>) => {
      const { name, versionOrTag } = target;
      const found = await packuments.manifest(caller, { name, versionOrTag, registryUrl: registryUrlOf(request) });
      if (found === null) throw absent(`${name} ${versionOrTag}`);
      send({ request, reply }, found, mediaTypeOf.full);
    },
    tarball: async ({ request, reply, caller }: Exchange, target: TargetOf<'tarball'>) => {
      const { name, version } = target;
      const artifact = await findTarball(caller.caller, target);
      if (artifact === null) throw absent(`${name} ${version}`);
      const { isPull } = await sendArtifact(request, reply, artifact);
      if (!isPull) return;
      const { projectName } = caller;
      deps.pulls.record(caller.caller, { projectName, ecosystem: 'npm', packageName: name, packageVersion: version });
    },
  };
}

function send(http: Pick<Exchange, 'request' | 'reply'>, { document, isStale }: PackumentAnswer, mediaType: string) {
  if (isStale) http.reply.header('warning', '110 sealsmith "upstream does not answer; this is what it said last"');
  sendDocument(http.request, http.reply, { document, mediaType });
}

function absent(subject: string): AppError {
  return new AppError('not_found', `The registry does not have ${subject}.`);
}
