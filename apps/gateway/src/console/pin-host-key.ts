import type { InstalledRelease } from '#/release/installed-release.ts'
import { type ConsoleDeps, depsOf } from './deps.ts'
import { requireWords } from './misuse.ts'
import { underActivity } from './perform.ts'

/** `fleet-gateway pin-host-key NAME SHA256:…`: the machine of a Node has another SSH host key from now on (decision 0363). */
export async function pinHostKey(
  words: readonly string[],
  release: InstalledRelease,
  { takeConsole, inSession, print }: ConsoleDeps = depsOf(release),
): Promise<number> {
  requireWords(words, 2)
  const [name = '', fingerprint = ''] = words
  using _console = takeConsole()
  const node = await inSession((session) =>
    underActivity(session, {
      command: 'node:pin-host-key',
      caller: undefined,
      run: (call) => session.services.pinHostKey(call, { name, fingerprint }),
    }),
  )
  print(`The SSH host key of ${node.name} is now ${node.ssh_host_fingerprint}.\n`)
  return 0
}
