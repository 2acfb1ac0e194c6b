/** A socket of a machine that waits for what others send. */
export interface Listener {
  readonly protocol: 'tcp' | 'udp'
  /** `0.0.0.0`, `::` for IPv6 alone, `*` for both, or one address. */
  readonly address: string
  readonly port: number
  /** Undefined for one of the kernel, such as that of WireGuard. */
  readonly program: { readonly name: string; readonly pid: number } | undefined
}

/** What `readListeners` reads; as root it names the programs of everybody. */
export const LISTENERS = ['ss', '-H', '-l', '-n', '-t', '-u', '-p'] as const

const LINE = /^(?<protocol>tcp|udp)\s+\S+\s+\d+\s+\d+\s+(?<address>\S+):(?<port>\d+)\s+\S+(?<rest>.*)$/
const PROGRAM = /users:\(\("(?<name>[^"]*)",pid=(?<pid>\d+)/
/** A process names itself as it likes. */
const UNNAMEABLE = /[^\w.@+-]/g

/** Lines in another form are passed over. */
export const readListeners = (printed: string): readonly Listener[] =>
  printed.split('\n').flatMap((line) => {
    const { protocol, address, port, rest = '' } = LINE.exec(line.trim())?.groups ?? {}
    if ((protocol !== 'tcp' && protocol !== 'udp') || address === undefined) return []
    return [{ protocol, address: bare(address), port: Number(port), program: programIn(rest) }]
  })

function programIn(text: string): Listener['program'] {
  const { name, pid } = PROGRAM.exec(text)?.groups ?? {}
  return name === undefined ? undefined : { name: name.replaceAll(UNNAMEABLE, '_'), pid: Number(pid) }
}

/** Without brackets and without the interface. */
const bare = (address: string): string => address.replace(/%[^\]]*/, '').replace(/^\[(.*)\]$/, '$1')
