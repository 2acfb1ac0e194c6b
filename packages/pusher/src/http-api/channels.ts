import type { App } from '#/app.ts'
import { channelKind, isChannelName } from '#/channel-name.ts'
import { type ApiAnswer, refusal } from '#/http-api/api-answer.ts'

const INFO = ['user_count', 'subscription_count', 'cache'] as const
type Info = (typeof INFO)[number]

export const readInfo = (text: string | null | undefined): readonly Info[] =>
  INFO.filter((info) => (text ?? '').split(',').includes(info))

/** What was asked about one channel; a channel without members has no `user_count`. */
export function channelFacts(app: App, name: string, wanted: readonly Info[]): Record<string, unknown> {
  const channel = app.channels.find(name)
  const { access, cache } = channelKind(name)
  const facts = {
    user_count: access === 'presence' ? (channel?.roster?.size ?? 0) : undefined,
    subscription_count: access === 'presence' ? undefined : (channel?.subscribers.size ?? 0),
    cache: cache ? app.channels.cachedOf(name) : undefined,
  }
  const asked = wanted.map((info) => [info, facts[info]] as const)
  return Object.fromEntries(asked.filter(([, value]) => value !== undefined))
}

/** `GET /apps/{id}/channels`: the occupied ones, by name. */
export function listChannels(app: App, query: Readonly<Record<string, string>>): ApiAnswer {
  const { filter_by_prefix: prefix = '', info } = query
  const wanted = readInfo(info)
  if (wanted.includes('user_count') && !prefix.startsWith('presence-'))
    return refusal(400, 'user_count needs filter_by_prefix=presence-.')
  const names = app.channels.occupied().map(({ name }) => name)
  const chosen = names.filter((name) => name.startsWith(prefix)).toSorted()
  const channels = chosen.map((name) => [name, channelFacts(app, name, wanted)] as const)
  return { status: 200, body: { channels: Object.fromEntries(channels) } }
}

/** `GET /apps/{id}/channels/{name}`; a channel that nobody is on is one that nobody is on. */
export function showChannel(app: App, name: string, { info }: Readonly<Record<string, string>>): ApiAnswer {
  if (!isChannelName(name)) return refusal(400, 'Not a valid channel name.')
  const wanted = readInfo(info)
  if (wanted.includes('user_count') && channelKind(name).access !== 'presence')
    return refusal(400, 'Only presence channels have a user_count.')
  const occupied = (app.channels.find(name)?.subscribers.size ?? 0) > 0
  return { status: 200, body: { occupied, ...channelFacts(app, name, wanted) } }
}

/** `GET /apps/{id}/channels/{name}/users`. */
export function showUsers(app: App, name: string): ApiAnswer {
  if (channelKind(name).access !== 'presence') return refusal(400, 'Only presence channels have users.')
  const ids = app.channels.find(name)?.roster?.userIds() ?? []
  return { status: 200, body: { users: ids.map((id) => ({ id })) } }
}
