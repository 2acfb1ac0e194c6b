import { ClientError, EXIT } from '#/exit.ts'
import { readConfig } from '#/gateway/config.ts'
import { configPath } from '#/gateway/connection.ts'
import { checkedName, checkedUrl } from '#/gateway/profile.ts'
import { note } from './gateway-profiles.ts'
import type { LocalRun } from './local-run.ts'
import { trustAndSave } from './trust-run.ts'

/** Stores a new gateway. The same name and URL again renews the trust in it. */
export const addGateway: LocalRun = async (context, invocation, members) => {
  const name = checkedName(String(members['name']))
  const url = checkedUrl(String(members['url']))
  const { gateways } = await readConfig(configPath(context.environment))
  const stored = gateways.find((profile) => profile.name === name)
  if (stored && stored.url !== url) {
    throw new ClientError(
      'gateway.profile_invalid',
      `The profile ${name} exists with the URL ${stored.url}.`,
      { exit: EXIT.usage, next: 'Choose another name, or remove it first with fleet gateway:remove.' },
    )
  }
  const { root, text } = await trustAndSave(context, invocation, { name, url, pin: stored?.pin }, members)
  if (invocation.globals.json) return context.terminal.out(`${text}\n`)
  const { active } = await readConfig(configPath(context.environment))
  note(context.terminal, `Stored ${name} (${url}), trusted by the root certificate ${root.fingerprint}.`)
  if (active !== name)
    note(
      context.terminal,
      `Commands still use ${active ?? 'no gateway'}. To switch: fleet gateway:use ${name}`,
    )
}
