import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Programs with which a script of a Node changes the whole machine, which may be the one that the tests run on as root. */
const OFF_LIMITS = [
  'apt-get',
  'dpkg-reconfigure',
  'useradd',
  'usermod',
  'userdel',
  'groupadd',
  'groupdel',
  'ufw',
  'reboot',
]

/** Whatever stands before this machine's own folders in a PATH is a test's; what it did not replace is refused. */
const IS_OF_MACHINE = /^\/(?:usr\/)?(?:local\/)?s?bin$/

let folder: string | undefined

/** `path` with programs that refuse before the first folder of this machine. */
export function withoutMachine(path: string): string {
  folder ??= refusingPrograms()
  const folders = path.split(':')
  const first = folders.findIndex((entry) => IS_OF_MACHINE.test(entry))
  return folders.toSpliced(first === -1 ? folders.length : first, 0, folder).join(':')
}

function refusingPrograms(): string {
  const made = mkdtempSync(join(tmpdir(), 'fleet-off-limits-'))
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  for (const name of OFF_LIMITS)
    writeFileSync(
      join(made, name),
      `#!/bin/sh\necho "a test reached ${name} of this machine" >&2\nexit 97\n`,
      {
        mode: 0o755,
      },
    )
  return made
}
