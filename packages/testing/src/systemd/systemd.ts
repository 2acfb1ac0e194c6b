import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A service manager in a folder: `systemctl` and `journalctl` of its `bin`, for scripts that run with it as their root. */
export interface FakeSystemd {
  /** What scripts need in their environment. */
  readonly env: Readonly<Record<string, string>>
  /** Arguments of every systemctl, in order. */
  calls(): readonly string[]
  /** Units that were reloaded, in order. */
  reloads(): readonly string[]
  isActive(unit: string): boolean
  isEnabled(unit: string): boolean
  /** What its environment files had when it last started. */
  environment(unit: string): string
  /** Of a unit whose process reports itself. */
  pid(unit: string): number | undefined
  /** Lets starts and reloads of the unit fail, unless its file has the text; its journal gets the message then. */
  break(unit: string, options?: { readonly unless?: string; readonly message?: string }): void
  /** Its process runs and never reports itself. */
  mute(unit: string): void
  /** It ends and is started again, for as long as it should run. */
  loop(unit: string): void
  /** It runs whenever somebody looks, and was started once more since. */
  restart(unit: string): void
  /** A reload of it has no end, until a file of this name below `systemd/reloading` is gone. */
  hang(unit: string): void
  /** It failed too often: it is not started before that is reset. */
  limit(unit: string): void
  /** It cannot be stopped. */
  stick(unit: string): void
  /** Ends all faults. */
  clearFaults(): void
  /** It ended by itself. */
  kill(unit: string): void
  disable(unit: string): void
  /** A unit whose file is somewhere else, such as that of a package. */
  addForeign(unit: string): void
  /** Neither started nor enabled, as somebody masked it. */
  mask(unit: string): void
  /** Ends every process. */
  end(): void
}

const SYSTEMCTL = readFileSync(new URL('systemctl.sh', import.meta.url), 'utf8')
const JOURNALCTL = `#!/bin/sh
for word; do case $word in --unit=*) cat "$FAKE/systemd/journal/\${word#*=}" 2>/dev/null ;; esac; done
exit 0
`
const FOLDERS = [
  'active',
  'broken',
  'enabled',
  'environment',
  'failed',
  'foreign',
  'masked',
  'journal',
  'limited',
  'loop',
  'message',
  'mute',
  'pid',
  'reloading',
  'restarting',
  'stuck',
]

/** Units are files below `etc/systemd/system` of the folder. */
export function fakeSystemd(home: string): FakeSystemd {
  const at = (...path: readonly string[]): string => join(home, ...path)
  const state = (kind: string, unit: string): string => at('systemd', kind, unit)
  for (const folder of FOLDERS) mkdirSync(at('systemd', folder), { recursive: true })
  mkdirSync(at('etc/systemd/system'), { recursive: true })
  mkdirSync(at('fake'), { recursive: true })
  writeFileSync(at('fake/systemctl'), SYSTEMCTL, { mode: 0o755 })
  writeFileSync(at('fake/journalctl'), JOURNALCTL, { mode: 0o755 })
  const lines = (path: string): readonly string[] =>
    existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
  const pid = (unit: string): number | undefined => Number(lines(state('pid', unit))[0]) || undefined
  const kill = (unit: string): void => {
    const process_ = pid(unit)
    if (process_ !== undefined) process.kill(process_)
    for (const kind of ['pid', 'active']) rmSync(state(kind, unit), { force: true })
  }
  return {
    env: { PATH: `${at('fake')}:/usr/bin:/bin`, FAKE: home },
    calls: () => lines(at('calls')),
    reloads: () => lines(at('reloads')),
    isActive: (unit) => existsSync(state('active', unit)),
    isEnabled: (unit) => existsSync(state('enabled', unit)),
    environment: (unit) => lines(state('environment', unit)).join('\n'),
    pid,
    break: (unit, { unless = '', message } = {}) => {
      writeFileSync(state('broken', unit), unless)
      if (message !== undefined) writeFileSync(state('message', unit), `${message}\n`)
    },
    mute: (unit) => writeFileSync(state('mute', unit), ''),
    loop: (unit) => writeFileSync(state('loop', unit), ''),
    restart: (unit) => writeFileSync(state('restarting', unit), '1'),
    hang: (unit) => writeFileSync(state('reloading', unit), ''),
    limit: (unit) => writeFileSync(state('limited', unit), ''),
    stick: (unit) => writeFileSync(state('stuck', unit), ''),
    clearFaults: () => {
      for (const kind of ['broken', 'limited', 'loop', 'message', 'mute', 'reloading', 'restarting', 'stuck'])
        for (const unit of readdirSync(at('systemd', kind))) rmSync(state(kind, unit))
    },
    kill,
    disable: (unit) => rmSync(state('enabled', unit), { force: true }),
    addForeign: (unit) => writeFileSync(state('foreign', unit), ''),
    mask: (unit) => writeFileSync(state('masked', unit), ''),
    end: () => {
      for (const unit of readdirSync(at('systemd/pid'))) kill(unit)
    },
  }
}
