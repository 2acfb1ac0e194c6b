import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The real Git, behind one that writes down how it was started. */
export function witnessGit() {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-witness-'))
  const [log, path] = [join(folder, 'log'), '/usr/local/bin:/usr/bin:/bin']
  const lines = ['#!/bin/sh', `PATH=${path}`, 'case " $* " in', '  *" fetch "*)']
  const noted = `{ echo "$*"; stat -c %a "$GIT_DIR"; env | grep ^GIT_CONFIG; } >${log} ;;`
  writeFileSync(join(folder, 'git'), [...lines, noted, 'esac', 'exec git "$@"', ''].join('\n'), {
    mode: 0o755,
  })
  return {
    path: `${folder}:${path}`,
    /** The last fetch. */
    fetch: () => {
      const [args = '', mode, ...env] = readFileSync(log, 'utf8').trim().split('\n')
      return { args, mode, env }
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
