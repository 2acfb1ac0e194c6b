import { type Owned, TTL_SECONDS } from '@fleet/dns'
import packet, { type Answer, type OptAnswer, type Packet } from 'dns-packet'
import { decodeWhole, type Query, RCODES, reply } from './message.ts'

// What every path carries without fragments (DNS flag day 2020).
const UDP_PAYLOAD_BYTES = 1232
/** Upper part of BADVERS (16), whose lower part is 0. */
const BAD_VERSION = 1

/** Types of a question that an address answers. */
const WITH_ADDRESS: ReadonlySet<string> = new Set(['A', 'ANY'])

/** True for questions about the Internet's names; other classes have other name spaces. */
export const isInternet = ({ question }: Query): boolean =>
  question.class === 'IN' || question.class === 'ANY'

/**
 * The answer for a name that the fleet owns: its address, or for every other type that there is none (RFC 2308).
 * Undefined when the reply could not repeat the question byte for byte, as with a dot inside a label: such a name is not
 * the fleet's.
 */
export function ownAnswer(query: Query, owned: Owned): Buffer | undefined {
  const asked = decodeWhole(query.message)
  if (!asked) return reply(query, RCODES.formatError, {})
  const edns = asked.additionals?.find((record) => record.type === 'OPT')
  const parts = edns ? withEdns(query, owned, edns) : body(query, owned)
  const bytes = reply(query, RCODES.noError, { ...parts, flags: packet.AUTHORITATIVE_ANSWER })
  const repeated = bytes.subarray(12, 12 + query.questionBytes.length)
  return repeated.equals(query.questionBytes) ? bytes : undefined
}

const body = (query: Query, { address, owner }: Owned): Packet => {
  const { name, type } = query.question
  return WITH_ADDRESS.has(type)
    ? { answers: [{ type: 'A', name, ttl: TTL_SECONDS, class: 'IN', data: address }] }
    : { authorities: [startOfAuthority(owner)] }
}

const withEdns = (query: Query, owned: Owned, { ednsVersion }: OptAnswer): Packet => {
  const isKnown = ednsVersion === 0
  const option: OptAnswer = {
    type: 'OPT',
    name: '.',
    udpPayloadSize: UDP_PAYLOAD_BYTES,
    extendedRcode: isKnown ? 0 : BAD_VERSION,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  }
  return { ...(isKnown ? body(query, owned) : {}), additionals: [option] }
}

/** Without it nobody may remember that there is no such record. */
const startOfAuthority = (owner: string): Answer => ({
  type: 'SOA',
  name: owner,
  ttl: TTL_SECONDS,
  class: 'IN',
  data: {
    mname: owner,
    rname: `hostmaster.${owner}`,
    serial: 1,
    refresh: 3600,
    retry: 600,
    expire: 86_400,
    minimum: TTL_SECONDS,
  },
})
