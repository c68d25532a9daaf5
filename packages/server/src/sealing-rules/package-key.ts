/**
 * A package name as the most forgiving ecosystem (PEP 503) normalises it. Two names that any ecosystem holds for the same
 * share their key; the other way round need not be true, so what a key finds is compared again.
 */
export function packageKey(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
