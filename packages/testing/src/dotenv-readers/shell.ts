import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The variables that a real shell exports after `set -a; . ./.env`, for tests alone. */
export function readAsShell(text: string, shell: 'sh' | 'bash' = 'sh'): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-env-'))
  try {
    writeFileSync(join(folder, '.env'), text)
    const script = 'set -a; . ./.env && exec /usr/bin/env -0'
    const ran = spawnSync(shell, ['-c', script], {
      cwd: folder,
      env: {},
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    })
    if (ran.status !== 0) throw new Error(`${shell}: ${ran.stderr}`)
    return Object.fromEntries(ran.stdout.split('\0').slice(0, -1).map(splitAtEquals))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const splitAtEquals = (line: string): [string, string] => {
  const equals = line.indexOf('=')
  return [line.slice(0, equals), line.slice(equals + 1)]
}
