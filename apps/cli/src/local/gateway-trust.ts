import { readConfig } from '#/gateway/config.ts'
import { configPath, connect, requireProfile } from '#/gateway/connection.ts'
import { runOperation } from '#/operation.ts'
import { note } from './gateway-profiles.ts'
import type { LocalRun } from './local-run.ts'
import { trustAndSave } from './trust-run.ts'

/** Renews the trust in a stored gateway. Where nothing is stored, as in the embedded fleet, it is the plain operation. */
export const renewTrust: LocalRun = async (context, invocation, members) => {
  const { environment, tree, terminal } = context
  const { globals, line } = invocation
  const config = await readConfig(configPath(environment))
  const named = typeof members['name'] === 'string' ? members['name'] : undefined
  const profile =
    named === undefined ? (await connect(environment, globals)).profile : requireProfile(config, named)
  if (profile) {
    const { root, text } = await trustAndSave(context, invocation, profile, members)
    if (globals.json) return terminal.out(`${text}\n`)
    return note(
      terminal,
      `${profile.name} (${profile.url}) is trusted by the root certificate ${root.fingerprint}.`,
    )
  }
  const operation = tree.commands['gateway:trust']
  if (!operation) throw new Error('the catalogue has no gateway:trust')
  await runOperation(
    context,
    { command: operation, globals, line: { ...line, positionals: [], options: new Map() } },
    operation,
  )
}
