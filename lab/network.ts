import { existsSync } from 'node:fs'
import type { Addresses } from './addresses.ts'
import { raiseSettings } from './machine-settings.ts'
import { nft } from './nft.ts'
import { cableOf, type HostPlace, type Place } from './place.ts'
import { attempt, LabFault, program } from './program.ts'

/** The machine's own, below those of all hosts. */
const MACHINE_NUMBER = 1

/** The switch between hosts and machine, and the way out. Idempotent. */
export async function ensureBridge({ prefix }: Place, addresses: Addresses): Promise<void> {
  const { octet, machine } = addresses
  await program(['ip', 'link', 'add', prefix, 'type', 'bridge']).catch(unlessThere)
  // Left to itself it has the lowest address of its ports: with a host that goes, all others lose the machine for seconds.
  await program(['ip', 'link', 'set', prefix, 'address', macOf(addresses, MACHINE_NUMBER)])
  await program(['ip', 'addr', 'replace', `${machine}/24`, 'dev', prefix])
  await program(['ip', 'link', 'set', prefix, 'up'])
  await nft(wayOut(prefix, octet))
  raiseSettings()
}

/** Takes the switch and the way out down. Idempotent. */
export async function removeBridge({ prefix }: Place): Promise<void> {
  await removeInterface(prefix)
  await nft(`add table ip ${prefix}\ndelete table ip ${prefix}\n`)
}

/** Gives a host a network of its own with one cable to the switch. */
export async function plugIn(
  place: Place,
  host: HostPlace,
  number: number,
  addresses: Addresses,
): Promise<void> {
  const cable = cableOf(place, number)
  const inside = (...words: string[]): Promise<string> => program(['ip', '-n', host.id, ...words])
  await program(['ip', 'netns', 'add', host.id])
  await program([
    'ip',
    'link',
    'add',
    cable,
    'type',
    'veth',
    'peer',
    'name',
    'eth0',
    'address',
    macOf(addresses, number),
    'netns',
    host.id,
  ])
  await program(['ip', 'link', 'set', cable, 'master', place.prefix, 'up'])
  await inside('addr', 'add', `${addresses.outside(number)}/24`, 'dev', 'eth0')
  await inside('link', 'set', 'lo', 'up')
  await inside('link', 'set', 'eth0', 'up')
  await inside('route', 'add', 'default', 'via', addresses.machine)
}

/** Takes the network away with everything that was set up in it. Idempotent. */
export async function unplug(id: string, cable: string): Promise<void> {
  // The cable first: the kernel may keep the namespace, and the cable in it, a while longer.
  await removeInterface(cable)
  await removeNamespace(id)
}

/** Idempotent; both ends of a cable go with one. */
export async function removeInterface(name: string): Promise<void> {
  const path = `/sys/class/net/${name}`
  if (!existsSync(path)) return
  const { stderr } = await attempt(['ip', 'link', 'delete', name])
  // It may have gone by itself in between, with the namespace of its other end.
  if (existsSync(path)) throw new LabFault(`the interface ${name} stays: ${stderr.trim()}`)
}

export async function removeNamespace(id: string): Promise<void> {
  if (existsSync(`/run/netns/${id}`)) await program(['ip', 'netns', 'delete', id])
}

/**
 * The switch drops every frame of the host's port from now on. Both ends keep their link: as when the line breaks
 * somewhere on the way, nobody is notified.
 */
export const cutOff = async (place: Place, number: number): Promise<void> =>
  void (await program(['bridge', 'link', 'set', 'dev', cableOf(place, number), 'state', '0']))

/** The port forwards again. */
export const restore = async (place: Place, number: number): Promise<void> =>
  void (await program(['bridge', 'link', 'set', 'dev', cableOf(place, number), 'state', '3']))

export async function isCutOff(place: Place, number: number): Promise<boolean> {
  const { stdout } = await attempt(['bridge', 'link', 'show', 'dev', cableOf(place, number)])
  return stdout.includes(' state disabled ')
}

// The same after each start, as of a real card: neighbours remember it.
const macOf = ({ octet }: Addresses, number: number): string =>
  ['02', '90', '00', '00', hex(octet), hex(number)].join(':')

const hex = (byte: number): string => byte.toString(16).padStart(2, '0')

const wayOut = (prefix: string, octet: number): string => `add table ip ${prefix}
delete table ip ${prefix}
table ip ${prefix} {
  chain out {
    type nat hook postrouting priority srcnat
    ip saddr 10.90.${octet}.0/24 ip daddr != 10.90.${octet}.0/24 masquerade
  }
}
`

const unlessThere = (error: unknown): void => {
  if (!(error instanceof LabFault && error.message.includes('File exists'))) throw error
}
