import { startFakeRegistry } from '../../packages/server/src/artifacts/testing/fake-registry.ts';

/** The npm registry behind a service under test. */
export interface NpmUpstream extends AsyncDisposable {
  url: string;
  /** Path of every request that came in, in order. */
  requests: readonly string[];
  /** Publishes versions made on the fly: the files of each by its number. */
  publish(name: string, versions: Record<string, Record<string, string>>): Promise<void>;
  /** Every request fails from here on. */
  goDown(): void;
  comeBack(): void;
  /** Holds every answer back until the returned function is called. */
  hold(): () => void;
}

export async function startNpmUpstream(): Promise<NpmUpstream> {
  const registry = await startFakeRegistry();
  const answer = () => {
    registry.intercept = () => false;
  };
  return {
    url: registry.url.href,
    requests: registry.requests,
    publish: (name, versions) => {
      const entries = Object.entries(versions).map(([version, files]) => [version, { files }]);
      return registry.publish(name, Object.fromEntries(entries));
    },
    goDown: () => {
      registry.intercept = (_request, response) => {
        response.writeHead(500).end();
        return true;
      };
    },
    comeBack: answer,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      registry.intercept = () => promise;
      return () => {
        answer();
        resolve(false);
      };
    },
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  };
}
