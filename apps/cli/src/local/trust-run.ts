import type { Context, Invocation } from '#/context.ts'
import type { Config } from '#/gateway/config.ts'
import { updateConfig } from '#/gateway/config.ts'
import { configPath } from '#/gateway/connection.ts'
import { checkedPin, type Profile } from '#/gateway/profile.ts'
import { type SystemStore, systemStore, updateSystemStore } from '#/gateway/system-store.ts'
import { establishTrust, type TrustedRoot } from '#/gateway/trust.ts'
import { ClientError } from '#/exit.ts'
import { routeOf } from '#/route.ts'
import { note } from './gateway-profiles.ts'

/** The profile a command began with: `pin` is absent for a new one. */
export interface Subject {
  readonly name: string
  readonly url: string
  readonly pin: string | undefined
}

/** All four stages of trust (GW-054). Returns the verified root; the profile is stored when it returns. */
export async function trustAndSave(
  context: Context,
  invocation: Invocation,
  subject: Subject,
  members: Readonly<Record<string, unknown>>,
  store: SystemStore = systemStore,
): Promise<TrustedRoot> {
  const known = subject.pin === undefined ? undefined : { pin: subject.pin }
  const wish = {
    pin: typeof members['fingerprint'] === 'string' ? checkedPin(members['fingerprint']) : undefined,
    acceptNew: members['accept_new'] === true,
    acceptChange: members['accept_change'] === true,
  }
  const trusted = await establishTrust(known, wish, portsOf(context, invocation, subject))
  const { root } = trusted
  const system = await updateSystemStore(store, subject.name, root, members['system'] === true)
  const saved: Profile = { name: subject.name, url: subject.url, pin: root.fingerprint, ca: root.pem }
  await updateConfig(configPath(context.environment), (config) => withProfile(config, subject, saved))
  if (system === 'installed')
    note(context.terminal, 'The root certificate is now in the trust store of this system.')
  return trusted
}

function portsOf(
  context: Context,
  { globals }: Invocation,
  { url }: Subject,
): Parameters<typeof establishTrust>[2] {
  const operation = context.tree.commands['gateway:trust']
  if (!operation) throw new Error('the catalogue has no gateway:trust')
  const { terminal, signal, clock } = context
  const canAsk = terminal.inIsTerminal && terminal.errIsTerminal
  return {
    route: routeOf(operation),
    sender: (ca) =>
      context.sender({
        baseUrl: url,
        ca,
        localAddress: globals.from ?? context.environment.from,
        timeoutSeconds: globals.timeoutSeconds ?? 30,
      }),
    now: () => clock.now(),
    signal,
    compare: canAsk
      ? async (_root, question) => /^y(?:es)?$/i.test((await terminal.ask(question))?.trim() ?? '')
      : undefined,
  }
}

/** The configuration with the profile, if it is still as the command found it. */
function withProfile(config: Config, began: Subject, saved: Profile): Config {
  const now = config.gateways.find(({ name }) => name === began.name)
  if (now?.pin !== began.pin || (now !== undefined && now.url !== began.url)) {
    throw new ClientError(
      'gateway.ca_profile_update_failed',
      `Another command changed the profile ${began.name} in the meantime. Nothing was stored.`,
      { next: 'Check fleet gateway:list, then run the command again.' },
    )
  }
  return {
    active: config.active ?? saved.name,
    gateways: [...config.gateways.filter(({ name }) => name !== saved.name), saved],
  }
}
