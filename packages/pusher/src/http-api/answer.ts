import type { App } from '#/app.ts'
import { type ApiAnswer, refusal } from '#/http-api/api-answer.ts'
import { listChannels, showChannel, showUsers } from '#/http-api/channels.ts'
import { publishBatch, publishEvent, revokeAddresses } from '#/http-api/events.ts'
import { type ReceivedRequest, requestRefusal } from '#/verify-request.ts'

const PATH = /^\/apps\/([^/]+)(\/.*)$/
const CHANNEL = /^\/channels\/([^/]+)(\/users)?$/
const TERMINATE = /^\/users\/([^/]+)\/terminate_connections$/

/** Answers one request of the HTTP API; it never throws. `seconds` is the server's Unix time. */
export function answerApiRequest(
  findApp: (id: string) => App | undefined,
  request: ReceivedRequest,
  seconds: number,
): ApiAnswer {
  const [, id, rest] = PATH.exec(request.path) ?? []
  if (id === undefined || rest === undefined) return refusal(404, 'Unknown path.')
  const app = findApp(id)
  if (!app) return refusal(404, 'There is no such application.')
  const refused = requestRefusal(app.settings, request, seconds)
  if (refused !== undefined) return refusal(401, refused)
  if (!app.settings.enabled) return refusal(403, 'The application is disabled.')
  return route(app, rest, request)
}

function route(app: App, path: string, { method, query, body }: ReceivedRequest): ApiAnswer {
  const post = method === 'POST'
  if (path === '/events') return post ? publishEvent(app, body) : onlyBy('POST')
  if (path === '/batch_events') return post ? publishBatch(app, body) : onlyBy('POST')
  if (path === '/addresses/terminate_connections') return post ? revokeAddresses(app, body) : onlyBy('POST')
  if (path === '/channels') return post ? onlyBy('GET') : listChannels(app, query)
  const [, channel, users] = CHANNEL.exec(path) ?? []
  if (channel !== undefined) {
    if (post) return onlyBy('GET')
    const name = decoded(channel)
    return users === undefined ? showChannel(app, name, query) : showUsers(app, name)
  }
  const [, user] = TERMINATE.exec(path) ?? []
  if (user === undefined) return refusal(404, 'Unknown path.')
  if (!post) return onlyBy('POST')
  app.terminate(decoded(user))
  return { status: 200, body: {} }
}

const onlyBy = (method: string): ApiAnswer => refusal(405, `This path takes ${method}.`)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
