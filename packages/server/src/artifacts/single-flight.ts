/** Runs `work` once for everybody who asks for the same key meanwhile; what it came to is not remembered. */
export type SingleFlight<Result> = (key: string, work: () => Promise<Result>) => Promise<Result>;

export function createSingleFlight<Result>(): SingleFlight<Result> {
  const underWay = new Map<string, Promise<Result>>();
  return (key, work) => {
    const joined = underWay.get(key);
    if (joined) return joined;
    const flight = work().finally(() => underWay.delete(key));
    underWay.set(key, flight);
    return flight;
  };
}
