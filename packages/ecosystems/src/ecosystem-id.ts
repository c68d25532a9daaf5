/** The one spelling of an ecosystem inside the code and in folder names; `wireName` is how it looks outside. */
export const ecosystemIds = ['npm', 'pypi', 'maven', 'rpm', 'deb', 'apk'] as const;

export type EcosystemId = (typeof ecosystemIds)[number];
