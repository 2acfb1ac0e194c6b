import { type Listener, LISTENERS, readListeners, run } from '@fleet/shell'
import { GATEWAY_UNIT, TUNNEL_LINK } from '#/console/places.ts'
import { type Programs, systemPrograms } from '#/console/programs.ts'

/** Where the gateway or its tunnel is about to listen. */
export interface WantedPort {
  readonly protocol: Listener['protocol']
  readonly port: number
  /** The only one; every address when absent. */
  readonly address?: string
}

/** Listeners of this machine but those of the gateway and of its tunnel. None where `ss` is missing: then nobody knows. */
export async function foreignListeners({ attempt }: Pick<Programs, 'attempt'> = systemPrograms): Promise<
  readonly Listener[]
> {
  const printed = async (...words: readonly string[]): Promise<string> => {
    const { exitCode, stdout } = await attempt(run(...words))
    return exitCode === 0 ? stdout.toString('utf8').trim() : ''
  }
  const gateway = Number(await printed('systemctl', 'show', '-P', 'MainPID', GATEWAY_UNIT))
  const hubPort = Number(await printed('wg', 'show', TUNNEL_LINK, 'listen-port'))
  return readListeners(await printed(...LISTENERS)).filter(
    ({ protocol, port, program }) =>
      !(gateway > 0 && program?.pid === gateway) && !(protocol === 'udp' && port === hubPort),
  )
}

/** Whose listener keeps the port from being used. */
export const takerOf = (
  listeners: readonly Listener[],
  { protocol, port, address }: WantedPort,
): Listener | undefined =>
  listeners.find(
    (listener) =>
      listener.protocol === protocol &&
      listener.port === port &&
      (address === undefined || [...EVERY, address].includes(listener.address)),
  )

/** The addresses that leave no IPv4 address of the port to others. */
const EVERY = ['0.0.0.0', '*']

/** `UDP port 51820 of this machine is in use by python3 (process 812).` */
export function takenText({ protocol, port, program }: Listener): string {
  const user = program
    ? `${program.name} (process ${program.pid})`
    : 'the kernel, as by another WireGuard tunnel'
  return `${protocol === 'udp' ? 'UDP port' : 'Port'} ${port} of this machine is in use by ${user}.`
}

/** The command that shows whose the port is. */
export const showPort = ({ protocol, port }: Pick<WantedPort, 'protocol' | 'port'>): string =>
  `ss -ln${protocol === 'udp' ? 'u' : 't'}p 'sport = :${port}'`
