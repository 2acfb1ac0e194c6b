import assert from 'node:assert/strict'
import type { Host } from '../../lab/index.ts'
import type { JsonObject } from '../embedded/ask.ts'
import type { Words } from './dying.ts'
import { passwordDuring, type Rooted } from './engine-host.ts'
import { ENGINE_PACKAGES, makeEngineImages, type RealEngine } from './engine-images.ts'
import type { InstalledFleet, WantedNode } from './installed.ts'

export const ENGINES = ['mariadb', 'pgsql'] as const

/** A Node for Instances and for servers, on whose host images of both engines can be made. */
export const engineNode = (tld: string): WantedNode => ({
  name: 'box',
  roles: ['app-dev', 'database'],
  words: ['--tld', tld],
  packages: ENGINE_PACKAGES,
})

export interface EngineWorld {
  readonly fleet: InstalledFleet
  readonly host: Host
  /** Id of the Node. */
  readonly node: string
  /** The request for a server. */
  serverWords(engine: RealEngine, slug: string): Words
}

/** The world of a fleet with such a Node, whose images are made once. */
export function engineWorld(started: () => InstalledFleet): () => Promise<EngineWorld> {
  const ports = new Map<string, number>()
  let images: ReturnType<typeof makeEngineImages> | undefined
  return async () => {
    const fleet = started()
    const host = fleet.node('box')
    const tags = await (images ??= makeEngineImages(host))
    const nodes = await fleet.records('node:list')
    const node = String(nodes.find(({ name }) => name === host.name)?.['id'])
    const serverWords: EngineWorld['serverWords'] = (engine, slug) => {
      // Each its own, so that one whose test has failed is in nobody's way.
      const port = ports.get(slug) ?? 3306 + ports.size
      ports.set(slug, port)
      return ['database:server:create', slug, node, `--tag=${tags[engine]}`, `--port=${port}`]
    }
    return { fleet, host, node, serverWords }
  }
}

export type Server = Rooted

/** Creates a server, and reads its root password while its first container has it. */
export async function createServer(world: EngineWorld, engine: RealEngine, slug: string): Promise<Server> {
  const { fleet, host, serverWords } = world
  const request = fleet.record(...serverWords(engine, slug))
  const password = await passwordDuring(host, slug, request)
  assert.equal((await request)['status'], 'active')
  return { slug, engine, password: password ?? assert.fail('its first container had no root password') }
}

export const destroyServer = (fleet: InstalledFleet, slug: string): Promise<JsonObject> =>
  fleet.record('database:server:destroy', slug, '--yes')
