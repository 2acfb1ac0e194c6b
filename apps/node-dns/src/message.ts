import packet, { type DecodedPacket, type Packet, type Question } from 'dns-packet'

const HEADER_BYTES = 12
// A question is a name of at most 255 bytes, its type and its class.
const QUESTION_BYTES = 255 + 4
const RESPONSE = 1 << 15
const OPCODE = 0xf << 11
/** EDNS and TSIG; a message that counts more is no query of a resolver, and costs nothing to refuse. */
const MAX_ADDITIONALS = 4

export const RCODES = { noError: 0, formatError: 1, serverFailure: 2, notImplemented: 4 } as const
export type Rcode = (typeof RCODES)[keyof typeof RCODES]

/** One question as it came. */
export interface Query {
  readonly message: Buffer
  readonly id: number
  readonly question: Question
  /** The question section, byte for byte: its letters may be of either case. */
  readonly questionBytes: Buffer
  /** In lower case, without a last dot. */
  readonly name: string
}

export type Parsed =
  | { readonly kind: 'query'; readonly query: Query }
  /** Answered at once. */
  | { readonly kind: 'refused'; readonly reply: Buffer }
  /** Not worth an answer, or it could start an endless talk of two servers. */
  | { readonly kind: 'ignored' }

/** Reads a message that claims to be a query. Never throws. */
export function parseQuery(message: Buffer): Parsed {
  if (message.length < HEADER_BYTES) return { kind: 'ignored' }
  const flags = message.readUInt16BE(2)
  if (flags & RESPONSE) return { kind: 'ignored' }
  if (flags & OPCODE) return { kind: 'refused', reply: bareReply(message, RCODES.notImplemented) }
  const head = hasPlausibleCounts(message) ? readQuestion(message) : undefined
  if (!head) return { kind: 'refused', reply: bareReply(message, RCODES.formatError) }
  return { kind: 'query', query: { message, id: message.readUInt16BE(0), ...head } }
}

/** True when the message answers exactly this question under this id. Never throws. */
export function answers(message: Buffer, id: number, query: Query): boolean {
  if (message.length < HEADER_BYTES || message.readUInt16BE(0) !== id) return false
  if (!(message.readUInt16BE(2) & RESPONSE) || message.readUInt16BE(4) !== 1) return false
  return readQuestion(message)?.questionBytes.equals(query.questionBytes) ?? false
}

/** A copy of the message under another id. */
export function withId(message: Buffer, id: number): Buffer {
  const copy = Buffer.from(message)
  copy.writeUInt16BE(id, 0)
  return copy
}

/** Everything in the message, for those who need more than the question; undefined when it cannot be read. */
export function decodeWhole(message: Buffer): DecodedPacket | undefined {
  try {
    return packet.decode(message)
  } catch {
    return undefined
  }
}

/** A reply to the query with its id, its question and its wish for recursion. */
export function reply(query: Query, rcode: Rcode, parts: Omit<Packet, 'id' | 'type' | 'questions'>): Buffer {
  const asked = query.message.readUInt16BE(2) & packet.RECURSION_DESIRED
  const flags = asked | packet.RECURSION_AVAILABLE | (parts.flags ?? 0) | rcode
  return packet.encode({ ...parts, id: query.id, type: 'response', flags, questions: [query.question] })
}

const bareReply = (message: Buffer, rcode: Rcode): Buffer => {
  const kept = message.readUInt16BE(2) & (OPCODE | packet.RECURSION_DESIRED)
  return packet.encode({ id: message.readUInt16BE(0), type: 'response', flags: kept | rcode })
}

const hasPlausibleCounts = (message: Buffer): boolean =>
  message.readUInt16BE(4) === 1 &&
  message.readUInt16BE(6) === 0 &&
  message.readUInt16BE(8) <= 1 &&
  message.readUInt16BE(10) <= MAX_ADDITIONALS

/** Reads nothing behind the question, so that no record a library does not know can hide it. */
function readQuestion(message: Buffer): Pick<Query, 'question' | 'questionBytes' | 'name'> | undefined {
  const head = Buffer.from(message.subarray(0, HEADER_BYTES + QUESTION_BYTES))
  head.fill(0, 6, HEADER_BYTES)
  const decoded = decodeWhole(head)
  const question = decoded?.questions?.[0]
  if (!question) return undefined
  const questionBytes = message.subarray(HEADER_BYTES, packet.decode.bytes)
  return { question, questionBytes, name: lowerCase(question.name) }
}

// Only ASCII: DNS knows no other letters, and Unicode would fold some foreign ones into them.
const lowerCase = (name: string): string => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
