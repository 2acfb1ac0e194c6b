import type { Context } from '#/context.ts'
import { ClientError, EXIT } from '#/exit.ts'
import { readConfig, updateConfig } from '#/gateway/config.ts'
import { configPath, requireProfile } from '#/gateway/connection.ts'
import { EMBEDDED } from '#/gateway/profile.ts'
import { printAnswer } from '#/print/answer.ts'
import type { LocalRun } from './local-run.ts'

export const listGateways: LocalRun = async ({ environment, terminal }, { globals }) => {
  const { active, gateways } = await readConfig(configPath(environment))
  const rows = gateways.map(({ name, url, pin }) => ({
    name,
    active: name === active,
    url,
    fingerprint: pin,
  }))
  if (globals.json) terminal.out(`${JSON.stringify({ data: rows })}\n`)
  else await printAnswer('gateway:list', rows, terminal)
}

export const useGateway: LocalRun = async ({ environment, terminal }, _invocation, { name }) => {
  if (name === EMBEDDED) {
    await updateConfig(configPath(environment), (config) => ({ ...config, active: undefined }))
    return note(terminal, `Commands now use the embedded fleet of ${environment.fleetHome}.`)
  }
  let url = ''
  await updateConfig(configPath(environment), (config) => {
    url = requireProfile(config, String(name)).url
    return { ...config, active: String(name) }
  })
  note(terminal, `Commands now use ${String(name)} (${url}).`)
}

/** The active profile is kept unless forced: the next command would silently go somewhere else. */
export const removeGateway: LocalRun = async ({ environment, terminal }, _invocation, { name, force }) => {
  await updateConfig(configPath(environment), (config) => {
    requireProfile(config, String(name))
    const isActive = config.active === name
    if (isActive && force !== true) {
      throw new ClientError('gateway.profile_active', `${String(name)} is the active gateway.`, {
        exit: EXIT.usage,
        next: 'Select another one first (fleet gateway:list; embedded is always one): fleet gateway:use NAME. Or run the command again with --force.',
      })
    }
    return {
      active: isActive ? undefined : config.active,
      gateways: config.gateways.filter((profile) => profile.name !== name),
    }
  })
  note(terminal, `Removed ${String(name)}.`)
}

export const note = (terminal: Context['terminal'], text: string): void => terminal.err(`${text}\n`)
