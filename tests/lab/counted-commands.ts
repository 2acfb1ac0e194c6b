import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Host } from '../../lab/index.ts'
import { killGateway, requireBack } from './gateway-deaths.ts'
import type { InstalledFleet } from './installed.ts'

const ASKED = 'var/tmp/asked'
const SLOW = 'var/tmp/slow-at'
const SLOW_DOCKER = 'var/tmp/slow-docker'

/** Notes each command of the gateway. The one whose number and name are in a file begins late, and Docker takes its time for it. */
const PROGRAM = String.raw`#!/bin/sh
name=$(printf '%s' "$SSH_ORIGINAL_COMMAND" | tr '\n' ' ' | sed 's/ [0-9]*$//')
printf '%s\n' "$name" >>/${ASKED}
if [ "$(grep -cxF -e "$name" /${ASKED})
$name" = "$(cat /${SLOW} 2>/dev/null)" ]; then
  >/${SLOW_DOCKER}
  sleep 1
fi
exec sh -c "$SSH_ORIGINAL_COMMAND"
`

/** The first call of Docker in such a command lasts until the gateway is back, and longer. */
const DOCKER = `#!/bin/sh
if rm /${SLOW_DOCKER} 2>/dev/null; then sleep 6; fi
PATH=/usr/sbin:/usr/bin exec docker "$@"
`

const FILES = {
  'usr/local/bin/counted': PROGRAM,
  'usr/local/bin/docker': DOCKER,
  'etc/ssh/sshd_config.d/counted.conf': 'ForceCommand /usr/local/bin/counted\n',
} as const

/** The commands of the gateway on a host. */
export interface CountedCommands extends AsyncDisposable {
  /** Those since `forget`, in their order: each with its number among those of its name. */
  asked(): readonly string[]
  forget(): void
  /** Such a command is slow. */
  slow(command: string): void
}

/** Puts itself in front of each command that comes over SSH. The gateway begins anew, because its connection is from before. */
export async function countedCommands({ gateway }: InstalledFleet, host: Host): Promise<CountedCommands> {
  const at = (path: string): string => join(host.root, path)
  const write = (path: string, text: string, mode: number): void => writeFileSync(at(path), text, { mode })
  for (const [path, text] of Object.entries(FILES))
    write(path, text, path.startsWith('usr/local/bin/') ? 0o755 : 0o644)
  const restart = async (): Promise<void> => {
    await host.run(['systemctl', 'restart', 'ssh'])
    await killGateway(gateway.host)
    await requireBack(gateway.host)
  }
  const forget = (): void => {
    rmSync(at(SLOW), { force: true })
    rmSync(at(SLOW_DOCKER), { force: true })
    writeFileSync(at(ASKED), '')
  }
  forget()
  // Each user of the host writes there.
  await host.run(['chmod', '666', `/${ASKED}`])
  await restart()
  return {
    forget,
    asked: () => {
      const counts = new Map<string, number>()
      return readFileSync(at(ASKED), 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((name) => {
          const count = (counts.get(name) ?? 0) + 1
          counts.set(name, count)
          return `${count}\n${name}`
        })
    },
    slow: (command) => writeFileSync(at(SLOW), command),
    [Symbol.asyncDispose]: async () => {
      for (const path of [...Object.keys(FILES), ASKED, SLOW, SLOW_DOCKER]) rmSync(at(path), { force: true })
      await restart()
    },
  }
}
