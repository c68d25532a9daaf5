import { type Severity, severities } from '@sealsmith/contract';
import cvssCalculator from 'ae-cvss-calculator';
import { LRUCache } from 'lru-cache';

/** How bad something is; score and vector are null when only a word is known, or nothing. */
export interface Rating {
  severity: Severity;
  cvssScore: number | null;
  cvssVector: string | null;
}

/** One entry of an OSV `severity` list: a CVSS vector, or a word as Ubuntu writes them. */
export interface StatedSeverity {
  score: string;
}

/**
 * The worst of what is stated. A vector beats every word, because only vectors can be checked; a vector that cannot be
 * read counts for nothing, so that a slip in it does not cost the whole advisory.
 */
export function rate(stated: readonly StatedSeverity[], words: readonly string[] = []): Rating {
  let worst: Rating = { severity: 'unknown', cvssScore: null, cvssVector: null };
  for (const { score: vector } of stated) {
    const score = baseScoreOf(vector);
    if (score === null || score <= (worst.cvssScore ?? -1)) continue;
    worst = { severity: severityOfScore(score), cvssScore: score, cvssVector: vector };
  }
  if (worst.cvssScore !== null) return worst;
  return { ...worst, severity: worstSeverity([...stated.map(({ score }) => score), ...words].map(severityOfWord)) };
}

/** The worst of several severities; `unknown` when there is none. */
export function worstSeverity(candidates: readonly Severity[]): Severity {
  return severities.find((severity) => candidates.includes(severity)) ?? 'unknown';
}

/**
 * Base score of a CVSS 2.0, 3.0, 3.1 or 4.0 vector; null when it cannot be read or leaves a base metric out. Remembered,
 * because feeds repeat few vectors often and a 4.0 score costs more than reading the rest of the record.
 */
export function baseScoreOf(vector: string): number | null {
  const known = knownScores.get(vector);
  if (known !== undefined) return known.score;
  const score = calculateBaseScore(vector);
  knownScores.set(vector, { score });
  return score;
}

// The package is CommonJS whose names Node cannot see from outside, hence the default import.
const { Cvss2, Cvss3P0, Cvss3P1, Cvss4P0 } = cvssCalculator;

const knownScores = new LRUCache<string, { score: number | null }>({ max: 10_000 });

function calculateBaseScore(vector: string): number | null {
  try {
    const cvss = readVector(vector);
    if (cvss === null || !cvss.isBaseFullyDefined()) return null;
    const scores = cvss instanceof Cvss4P0 ? cvss.calculateScores().baseMetricsOnly : cvss.calculateScores().base;
    return scores ?? null;
  } catch {
    // The calculator throws plain errors for whatever it cannot read, and nothing else.
    return null;
  }
}

function readVector(vector: string) {
  if (vector.startsWith('CVSS:4.0/')) return new Cvss4P0(vector);
  if (vector.startsWith('CVSS:3.1/')) return new Cvss3P1(vector);
  if (vector.startsWith('CVSS:3.0/')) return new Cvss3P0(vector);
  return /^\(?AV:/.test(vector) ? new Cvss2(vector) : null;
}

/** The scale of CVSS 3 and 4 for all versions: 2.0 defines none of its own, and one scale keeps severities comparable. */
function severityOfScore(score: number): Severity {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  return score >= 4 ? 'medium' : 'low';
}

function severityOfWord(word: string): Severity {
  switch (word.trim().toLowerCase()) {
    case 'critical':
      return 'critical';
    case 'high':
    case 'important':
      return 'high';
    case 'medium':
    case 'moderate':
      return 'medium';
    case 'low':
    case 'negligible':
      return 'low';
    default:
      return 'unknown';
  }
}
