import { execFile } from 'node:child_process';
import { platform } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);
const timeoutMs = 20_000;

/** The registry that the npm of this machine is configured to use; null when there is no npm or no usable answer. */
export async function npmRegistryOfMachine(): Promise<URL | null> {
  try {
    // On Windows npm is a script, which only a shell runs.
    const options = { timeout: timeoutMs, encoding: 'utf8', shell: platform() === 'win32' } as const;
    const { stdout } = await run('npm', ['config', 'get', 'registry'], options);
    const url = URL.parse(stdout.trim());
    return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url : null;
  } catch {
    // Without npm there is no configured registry: the service then serves sealed versions only, and says so.
    return null;
  }
}
