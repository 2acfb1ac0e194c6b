import type { Call } from '@fleet/fleet'
import { callerOf } from '#/install/first-node.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { requireWords } from './misuse.ts'
import { type ConsoleDeps, depsOf } from './deps.ts'
import { underActivity } from './perform.ts'
import { Refusal } from './refusal.ts'
import type { Session } from './session.ts'

/** `fleet-gateway repair-dns NODE`: puts the resolver of a Node in order again (NODE-133). */
export async function repairDns(
  words: readonly string[],
  release: InstalledRelease,
  deps: ConsoleDeps = depsOf(release),
): Promise<number> {
  requireWords(words, 1)
  const [name = ''] = words
  const { node, changed } = await asGatewayCommand(deps, 'node:repair-dns', (session, call) =>
    session.services.network.repairDns(call, name),
  )
  deps.print(`The resolver of ${node.name} ${changed ? 'was repaired' : 'needed no repair'}.\n`)
  return 0
}

/** `fleet-gateway retry-work`: what failed in the background is due at once, also what was given up. */
export async function retryWork(
  words: readonly string[],
  release: InstalledRelease,
  deps: ConsoleDeps = depsOf(release),
): Promise<number> {
  requireWords(words, 0)
  const count = await asGatewayCommand(deps, 'gateway:retry-work', async ({ store }, call) => {
    const retried = await store.work.retryFailed()
    call.note.property('retried', retried)
    return retried
  })
  const what = count === 1 ? '1 piece of background work runs' : `${count} pieces of background work run`
  deps.print(count === 0 ? 'No background work has failed.\n' : `${what} again within ten seconds.\n`)
  return 0
}

/** `fleet-gateway ssh-key`: what `root` of a machine must let in before the machine is enrolled. */
export async function sshKey(
  words: readonly string[],
  release: InstalledRelease,
  deps: ConsoleDeps = depsOf(release),
): Promise<number> {
  requireWords(words, 0)
  using _console = deps.takeConsole()
  const publicKey = await deps.inSession(async ({ key }) => key.publicKey)
  deps.print(`${publicKey}\n`)
  return 0
}

/** One change under its Activity, once it is admitted, with the rights of the gateway process and in the name of the gateway's own Node. */
export async function asGatewayCommand<T>(
  { takeConsole, inSession }: ConsoleDeps,
  command: string,
  work: (session: Session, call: Call) => Promise<T>,
  admit: (session: Session) => void = () => undefined,
): Promise<T> {
  using _console = takeConsole()
  return await inSession(async (session) => {
    const node = await session.services.nodes.gateway()
    if (!node) throw new Refusal('The gateway does not have its own active Node.', 'fleet-gateway install')
    admit(session)
    return underActivity(session, {
      command,
      caller: callerOf(node),
      run: (call) => work(session, call),
    })
  })
}
