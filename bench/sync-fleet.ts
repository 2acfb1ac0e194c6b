import { mkdirSync, readFileSync } from 'node:fs'
import { Agent, request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { type GatewayOptions, startGateway } from '@fleet/gateway'
import { systemClock, systemIds } from '@fleet/kernel'
import type { Command } from '@fleet/shell'
import { createSshPool, type SshPool } from '@fleet/ssh'
import { openStore, readOrMakeAppKey, type Store } from '@fleet/store'
import { addGrant, addInstance, addNode, addProject, makeHomeIdentity } from '@fleet/testing'
import type { SshServer } from './ssh-server.ts'

/** A gateway with one Instance on a Node behind the SSH server, asked over HTTPS. */
export interface SyncFleet extends AsyncDisposable {
  /** What the gateway sent to the Node, in order. */
  readonly commands: readonly Command[]
  sync(): Promise<void>
  /** Stores another value of one key. */
  change(value: string): Promise<void>
}

const KEYS = 40

export async function startSyncFleet(home: string, server: SshServer): Promise<SyncFleet> {
  const key = readOrMakeAppKey({ file: join(home, 'app.key') })
  const base = { clock: systemClock, ids: systemIds }
  const store = await openStore({ ...base, file: join(home, 'gateway.sqlite'), key, gatewayId: 'bench' })
  await makeHomeIdentity(home, systemClock)
  const instance = await addRecords(store, home, server)
  const commands: Command[] = []
  const pool = createSshPool({ privateKey: server.key.privateKey, clock: systemClock })
  const gateway = await startGateway(optionsOf(home), { store, ssh: recording(pool, commands) })
  const path = `${gateway.urls[0] ?? ''}/api/v1/instances/${instance}/environment`
  const agent = new Agent({ ca: readFileSync(gateway.caFile), keepAlive: true })
  const change = (name: string, value: string) => ask(agent, 'PUT', `${path}/${name}`, { value })
  for (let number = 0; number < KEYS; number += 1) await change(`KEY_${number}`, `value ${number}`)
  return {
    commands,
    sync: () => ask(agent, 'POST', `${path}/sync`),
    change: (value) => change('KEY_0', value),
    [Symbol.asyncDispose]: async () => {
      agent.destroy()
      await gateway.stop()
    },
  }
}

const optionsOf = (home: string): GatewayOptions => ({
  home,
  listen: [{ address: '127.0.0.1', port: 0 }],
  names: ['localhost'],
  name: 'gateway',
  version: 'bench',
  log: 'silent',
})

/** The caller's Node stands at 127.0.0.1 too, so it is the one that is asked about. */
async function addRecords(store: Store, home: string, { target }: SshServer): Promise<number> {
  const checkout = join(home, 'apps', 'shop', 'default')
  mkdirSync(checkout, { recursive: true })
  const node = await addNode(store, {
    name: 'bench',
    roles: ['gateway', 'app-dev'],
    user: target.user,
    user_home: home,
    wireguard_ip: target.host,
    ssh_port: target.port,
    ssh_host_fingerprint: target.fingerprint,
  })
  await addGrant(store, node, node)
  const project = await addProject(store)
  const place = { project_id: project.id, node_id: node.id, checkout_path: checkout }
  const profile = { application_directory: '', framework: null, php: false }
  return (await addInstance(store, { ...place, profile })).id
}

const recording = (pool: SshPool, commands: Command[]): SshPool => ({
  run: (target, command, options) => {
    commands.push(command)
    return pool.run(target, command, options)
  },
  forward: (target, destination, options) => pool.forward(target, destination, options),
  probe: (target, timeoutMilliseconds) => pool.probe(target, timeoutMilliseconds),
  scan: (host, port, timeoutMilliseconds) => pool.scan(host, port, timeoutMilliseconds),
  forget: (nodeId) => pool.forget(nodeId),
  [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
})

function ask(agent: Agent, method: string, url: string, body: object = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const request = httpsRequest(url, { agent, method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('end', () => {
        if (response.statusCode === 200) return resolve()
        reject(new Error(`${url} answered ${response.statusCode ?? 0} ${Buffer.concat(chunks).toString()}`))
      })
    })
    request.once('error', reject)
    request.end(JSON.stringify(body))
  })
}
