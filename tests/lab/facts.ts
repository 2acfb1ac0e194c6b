import assert from 'node:assert/strict'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import type { InstalledFleet } from './installed.ts'

/** Whether a TCP connection from one host to an address can be made. */
export const reaches = async (from: Host, address: string, port: number): Promise<boolean> => {
  const line = `exec 3<>/dev/tcp/${address}/${port}`
  return (await from.attempt(['timeout', '3', 'bash', '-c', line])).status === 0
}

/** `user address` of each login over SSH, in order. */
export async function logins(host: Host): Promise<readonly string[]> {
  const log = await host.run(['journalctl', '--unit=ssh', '--output=cat', '--no-pager'])
  return [...log.matchAll(/^Accepted publickey for (\S+) from (\S+) /gm)].map(
    ([, user = '', from = '']) => `${user} ${from}`,
  )
}

/** The address that a host's own resolver has for a name; undefined for none. */
export async function resolved(host: Host, name: string): Promise<string | undefined> {
  const { stdout } = await host.attempt(['timeout', '10', 'getent', 'ahostsv4', name])
  return /^(\S+)/.exec(stdout)?.[1]
}

/** Waits until a host's own resolver, which may keep an answer for 30 s, leads a domain to a Node. */
export async function leadsTo(fleet: InstalledFleet, from: Host, domain: string, node: Host): Promise<void> {
  const address = await tunnelAddress(fleet, node.name)
  const isLed = async () => ((await resolved(from, domain)) === address ? true : undefined)
  assert.equal(await waitFor(60, isLed), true, `${domain} does not lead to ${node.name}`)
}

/** Waits until a Node has nothing left of the Routes that it was the Router of: no resolver returns it any more by then. */
export async function isLeft(router: Host): Promise<void> {
  const look = 'ls /etc/fleet/certificates; cat /etc/caddy/Caddyfile'
  const left = async () => (await router.run(['sh', '-c', look])).match(/route-\d+-router|# router /)
  const isGone = async () => ((await left()) === null ? true : undefined)
  assert.equal(await waitFor(90, isGone), true, `${router.name} still serves what it was the Router of`)
}

/** Tunnel address of a Node by its record. */
export async function tunnelAddress(fleet: InstalledFleet, name: string): Promise<string> {
  const { wireguard_ip: address } = await fleet.record('node:show', name)
  assert.ok(typeof address === 'string')
  return address
}

/** Lets a Node ask the gateway by its own command line. */
export async function giveProfile(fleet: InstalledFleet, host: Host): Promise<void> {
  const { sha256 } = await fleet.record('gateway:trust')
  const url = `https://${await tunnelAddress(fleet, 'gateway')}`
  await host.run(['fleet', 'gateway:add', 'office', url, '--fingerprint', String(sha256)])
}

/** Fails with everything that Doctor says is wrong. */
export async function assertHealthy(fleet: InstalledFleet): Promise<void> {
  const { nodes } = await fleet.record('doctor:run')
  assert.ok(Array.isArray(nodes))
  const issues = JSON.stringify(nodes).match(/"code":"[^"]+"[^}]*/g) ?? []
  assert.deepEqual(issues, [])
}
