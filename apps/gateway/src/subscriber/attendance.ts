import { agentNames, type NodeChannel, type RealtimeServer, readAgentMessage } from '@fleet/fleet'
import { channelAuth } from '@fleet/pusher'
import { type Connection, ConnectionFailure, type Members, type PusherMessage } from '@fleet/pusher-client'
import * as z from 'zod'
import type { SubscriberDeps } from './deps.ts'

const TICK_MILLISECONDS = 1000
/** How often Nodes that came or went and a role that moved are looked for. */
const LOOK_TICKS = 5
/** The server ends a connection that sends more than 1,000 messages in a second; this stays far below. */
const JOINS_AT_ONCE = 50
const JOIN_PAUSE_MILLISECONDS = 100

const memberNews = z.object({ user_id: z.string(), user_info: z.unknown().optional() })

/** A channel that is joined, or is being joined: until its members are known, its messages are queued. */
interface ConnectedAgent {
  readonly nodeId: number
  readonly channel: NodeChannel
  waiting: PusherMessage[] | undefined
}

/** One connection of the subscriber, from its first join to its end. */
export class Attendance {
  readonly #deps: SubscriberDeps
  readonly #server: RealtimeServer
  readonly #connection: Connection
  readonly #agents = new Map<string, ConnectedAgent>()

  constructor(deps: SubscriberDeps, server: RealtimeServer, connection: Connection) {
    this.#deps = deps
    this.#server = server
    this.#connection = connection
  }

  async run(signal: AbortSignal): Promise<'ended' | 'moved'> {
    const { clock, views } = this.#deps
    const ended = this.#connection.closed.then(() => true)
    this.#connection.onMessage((message) => this.#hear(message))
    try {
      for (let tick = 0; !signal.aborted; tick += 1) {
        views.beat(true)
        if (tick % LOOK_TICKS === 0) {
          if (await this.#hasMoved()) return 'moved'
          await this.#follow(await this.#deps.managedNodes())
        }
        await this.#askOverdue()
        using timer = clock.timer(TICK_MILLISECONDS)
        if (await Promise.race([ended, timer.over.then(() => false)])) break
      }
      return 'ended'
    } finally {
      for (const { channel } of this.#agents.values()) channel.left()
    }
  }

  async #hasMoved(): Promise<boolean> {
    const { current } = await this.#deps.servers()
    return current?.url !== this.#server.url || current.app.key !== this.#server.app.key
  }

  async #follow(nodeIds: readonly number[]): Promise<void> {
    const wanted = new Set(nodeIds)
    for (const [name, { nodeId, channel }] of this.#agents) {
      if (wanted.has(nodeId)) continue
      this.#connection.unsubscribe(name)
      this.#agents.delete(name)
      channel.gone()
    }
    const missing = nodeIds.flatMap((nodeId) =>
      channelsOf(nodeId)
        .filter((name) => !this.#agents.has(name))
        .map((name) => ({ nodeId, name })),
    )
    for (let at = 0; at < missing.length; at += JOINS_AT_ONCE) {
      if (at > 0) await this.#deps.clock.sleep(JOIN_PAUSE_MILLISECONDS)
      await Promise.all(
        missing.slice(at, at + JOINS_AT_ONCE).map(({ nodeId, name }) => this.#join(nodeId, name)),
      )
      this.#deps.views.beat(true)
    }
  }

  /** Agents send a snapshot when a member joins (AGT-040). */
  async #askOverdue(): Promise<void> {
    for (const nodeId of this.#deps.views.overdue()) {
      const { channel: name } = agentNames(nodeId)
      const agent = this.#agents.get(name)
      if (!agent) continue
      this.#connection.unsubscribe(name)
      this.#agents.delete(name)
      agent.channel.left()
      await this.#join(nodeId, name)
    }
  }

  async #join(nodeId: number, name: string): Promise<void> {
    const { views, logs, log } = this.#deps
    const channel = name === agentNames(nodeId).channel ? views.channel(nodeId) : logs.channel(nodeId)
    const agent: ConnectedAgent = { nodeId, channel, waiting: [] }
    this.#agents.set(name, agent)
    try {
      const members = await this.#connection.subscribe(name, this.#signature(name))
      this.#connected(agent, members)
    } catch (error) {
      // It is tried again at the next look.
      this.#agents.delete(name)
      if (error instanceof ConnectionFailure && error.code === 'closed') return
      log.warn({ err: error, node: nodeId }, 'a channel of a Node could not be joined')
    }
  }

  #connected(agent: ConnectedAgent, members: Members): void {
    agent.channel.joined(members)
    const { waiting = [] } = agent
    agent.waiting = undefined
    for (const message of waiting) report(agent.channel, message)
  }

  /** It signs itself, with the secret of the application (AG-010, AG-013). */
  #signature(name: string) {
    const { socketId } = this.#connection
    const channel_data = JSON.stringify({ user_id: `gateway.${socketId}`, user_info: { kind: 'gateway' } })
    return { auth: channelAuth(this.#server.app, socketId, name, channel_data), channel_data }
  }

  #hear(message: PusherMessage): void {
    const agent = this.#agents.get(message.channel ?? '')
    if (agent?.waiting) agent.waiting.push(message)
    else if (agent) report(agent.channel, message)
  }
}

const channelsOf = (nodeId: number): readonly string[] => {
  const { channel, logChannel } = agentNames(nodeId)
  return [channel, logChannel]
}

function report(channel: NodeChannel, { event, data, userId }: PusherMessage): void {
  if (event === 'pusher:member_added' || event === 'pusher:member_removed') {
    const news = memberNews.safeParse(data).data
    if (!news) return
    if (event === 'pusher:member_added') channel.memberAdded(news.user_id, news.user_info)
    else channel.memberRemoved(news.user_id)
    return
  }
  const message = readAgentMessage(event, data)
  if (message) channel.reported(userId, message)
}
