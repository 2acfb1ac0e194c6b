import { cableOf } from '../../lab/place.ts'
import { removeInterface } from '../../lab/network.ts'
import { program } from '../../lab/program.ts'
import type { Host, Lab } from '../../lab/index.ts'

/**
 * A cable from the machine, which is the gateway and another member there, to an interface `fleet` of the host, with the host's tunnel address at its end: what a test
 * about the firewall needs of a tunnel. It goes with the host, and a host that was off needs it again.
 */
export async function layTunnel(
  lab: Lab,
  host: Host,
): Promise<{ readonly gateway: string; readonly member: string }> {
  const { place } = lab
  const number = Number(host.address.split('.')[3])
  // One letter before the number tells it from the host's other cable.
  const cable = cableOf(place, number).replace('v', 't')
  const [gateway, member] = [lab.addresses.tunnel(1), lab.addresses.tunnel(2)]
  const id = `${place.prefix}-${host.name}`
  await removeInterface(cable)
  await program(['ip', 'link', 'add', cable, 'type', 'veth', 'peer', 'name', 'fleet', 'netns', id])
  for (const address of [gateway, member]) await program(['ip', 'addr', 'add', `${address}/32`, 'dev', cable])
  await program(['ip', 'link', 'set', cable, 'up'])
  await program(['ip', 'route', 'replace', `${host.tunnelAddress}/32`, 'dev', cable, 'src', gateway])
  await program(['ip', '-n', id, 'addr', 'add', `${host.tunnelAddress}/32`, 'dev', 'fleet'])
  await program(['ip', '-n', id, 'link', 'set', 'fleet', 'up'])
  for (const address of [gateway, member])
    await program(['ip', '-n', id, 'route', 'replace', `${address}/32`, 'dev', 'fleet'])
  return { gateway, member }
}
