import packet, { type DecodedPacket, type RecordType } from 'dns-packet'
import type { Host } from '../../lab/index.ts'

const SOURCE = `
exec 3<>"/dev/$1/$2/53" || exit 1
printf '%b' "$3" >&3
dd bs=4096 count=1 <&3 2>/dev/null | od -An -v -tx1
`

/** Asks a DNS server from a host over UDP or TCP; undefined when nothing answers. */
export async function askFrom(
  host: Host,
  server: string,
  name: string,
  { type = 'A', over = 'udp' }: { readonly type?: RecordType; readonly over?: 'udp' | 'tcp' } = {},
): Promise<DecodedPacket | undefined> {
  const query = packet.encode({
    id: 4711,
    type: 'query',
    flags: packet.RECURSION_DESIRED,
    questions: [{ name, type }],
  })
  const length = Buffer.alloc(2)
  length.writeUInt16BE(query.length)
  const bytes = over === 'tcp' ? Buffer.concat([length, query]) : query
  const written = [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  const words = ['timeout', '8', 'bash', '-c', SOURCE, 'ask', over, server, written] as const
  const { status, stdout } = await host.attempt(words)
  const reply = Buffer.from(stdout.replaceAll(/\s/g, ''), 'hex').subarray(over === 'tcp' ? 2 : 0)
  return status === 0 && reply.length > 0 ? packet.decode(reply) : undefined
}

/** The addresses of an answer, or what stands in the way of them. */
export async function addressFrom(...question: Parameters<typeof askFrom>): Promise<string> {
  const reply = await askFrom(...question)
  if (!reply) return 'no answer'
  const addresses = (reply.answers ?? []).map((record) =>
    'data' in record ? String(record.data) : record.type,
  )
  return addresses.join(' ') || `none (${String('rcode' in reply ? reply.rcode : '')})`
}
