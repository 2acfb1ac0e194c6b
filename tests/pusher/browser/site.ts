import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TlsIdentity } from '@fleet/websocket'
import type PusherServer from 'pusher'
import { asObject, type JsonObject } from '../../embedded/ask.ts'

const here = createRequire(import.meta.url)

export interface Site extends AsyncDisposable {
  readonly port: number
  /** What the page has reported each scene, once it has reported the last one. */
  readonly outcomes: Promise<Readonly<Record<string, unknown>>>
}

export interface SiteDeps {
  readonly tls: TlsIdentity
  readonly publisher: PusherServer
  readonly cut: () => void
}

/** The page with the two libraries as they are published, and what a Laravel application would answer them. */
export async function openSite({ tls, publisher, cut }: SiteDeps): Promise<Site> {
  const reported = new Map<string, unknown>()
  const finished = Promise.withResolvers<Readonly<Record<string, unknown>>>()
  const posts: Readonly<Record<string, Answer>> = {
    '/auth': (form) => authorized(publisher, form),
    '/forge': () => ({ auth: 'app-key:0000' }),
    '/user-auth': (form) => publisher.authenticateUser(form['socket_id'] ?? '', { id: form['user'] ?? '' }),
    '/publish': async (_, { channel, name, data }) => {
      await publisher.trigger(String(channel), String(name), data)
    },
    '/to-user': async (_, { user, name, data }) => {
      await publisher.sendToUser(String(user), String(name), data)
    },
    '/cut': cut,
    '/done': (_, { name, outcome }) => {
      reported.set(String(name), outcome)
      if (name === 'reconnect') finished.resolve(Object.fromEntries(reported))
    },
  }
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = '/'] = (request.url ?? '').split('?')
    const file = FILES[path]
    if (file) return void response.writeHead(200, { 'content-type': file.type }).end(readFileSync(file.path))
    const answer = posts[path]
    if (!answer) return void response.writeHead(403).end('{}')
    const body = await text(request)
    const form = Object.fromEntries(new URLSearchParams(body))
    const given = body.startsWith('{') ? asObject(JSON.parse(body), path) : {}
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify((await answer(form, given)) ?? {}))
  }
  const server = createServer({ cert: tls.certificate, key: tls.key }, (request, response) => {
    serve(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port, // It listens on an address and a port.
    outcomes: finished.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Answer = (form: Readonly<Record<string, string>>, given: JsonObject) => unknown

function authorized(publisher: PusherServer, form: Readonly<Record<string, string>>): unknown {
  const { socket_id: socketId = '', channel_name: channel = '', user = '' } = form
  const member = { user_id: user, user_info: { name: user } }
  return channel.startsWith('presence-')
    ? publisher.authorizeChannel(socketId, channel, member)
    : publisher.authorizeChannel(socketId, channel)
}

/** A file that a package publishes beside the one that `require` finds. */
const beside = (name: string, path: string): string => join(dirname(here.resolve(name)), path)

const SCRIPT = 'text/javascript'
const FILES: Readonly<Record<string, { readonly type: string; readonly path: string }>> = {
  '/': { type: 'text/html', path: join(import.meta.dirname, 'page.html') },
  '/pusher.js': { type: SCRIPT, path: beside('pusher-js', '../web/pusher-with-encryption.js') },
  '/echo.js': { type: SCRIPT, path: beside('laravel-echo', 'echo.iife.js') },
}
