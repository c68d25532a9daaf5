import { type Advisory, parseOsvRecord } from '../osv-record.ts';

interface RecordFields {
  id: string;
  modified?: string;
  withdrawn?: string;
  aliases?: string[];
  severity?: 'CRITICAL' | 'HIGH' | 'MODERATE' | 'LOW';
  /** `name` or `name@fixedIn`; without a fix, every version is affected. */
  packages?: string[];
  ecosystem?: string;
  versions?: string[];
}

/** An advisory as its OSV record would be read. */
export function advisoryOf(fields: RecordFields): Advisory {
  return parseOsvRecord(osvRecordOf(fields));
}

export function osvRecordOf(fields: RecordFields): Record<string, unknown> {
  const { id, modified = '2026-01-01T00:00:00Z', withdrawn, aliases = [], severity, packages = [] } = fields;
  const affected = packages.map((text) => {
    const [name, fixed] = text.split('@');
    const events = [{ introduced: '0' }, ...(fixed === undefined ? [] : [{ fixed }])];
    const ranges = fields.versions ? [] : [{ type: 'SEMVER', events }];
    return { package: { ecosystem: fields.ecosystem ?? 'npm', name }, ranges, versions: fields.versions ?? [] };
  });
  return { id, modified, withdrawn, aliases, affected, database_specific: { severity } };
}
