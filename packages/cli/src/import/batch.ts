import type { BodySource } from '../client.ts';
import type { ImportProblem } from './folder-files.ts';

/** One request of an import, or what keeps a part of the source from being sent. */
export type Batch<Content = BodySource> = { content: Content; label: string; placeOf: PlaceOf } | ImportProblem;

/** Where in the source an entry lies that the service names by its place in the request. */
export type PlaceOf = (name: string) => string;
