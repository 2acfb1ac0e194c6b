import {
  boolCoreTag,
  type Event,
  EVENT_ID,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  NOT_RESOLVED,
  nullCoreTag,
  SCALAR_STYLE,
  type MappingEvent,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml'
import { type Origin, refuse } from './failure.ts'

/**
 * Reads one value of a YAML file from its first part to its last, and makes nothing of what is not asked for. Each call
 * reads the next value whole. Anchors, aliases, tags and keys that are given twice are refused wherever they are met.
 */
export interface YamlReader {
  /** The keys of a mapping, one after the other; `take` reads the value of each. */
  pairs(take: (key: string) => void): void
  /** A text; what YAML reads as a number, a boolean or null is none. */
  text(): string
  /** Whether the value is the boolean true. */
  isTrue(): boolean
  skip(): void
}

export interface PlacedReader extends YamlReader {
  /** Behind what was read. */
  position(): number
}

type Node = ScalarEvent | MappingEvent | SequenceEvent

const isNode = (event: Event): event is Node =>
  event.type === EVENT_ID.SCALAR || event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE

export interface YamlSource {
  readonly text: string
  /** Those that a reader has read are gone. */
  readonly events: (Event | undefined)[]
  readonly origin: Origin
}

export function makeYamlReader(source: YamlSource, start: number): PlacedReader {
  const { text, events, origin } = source
  let at = start
  /** Steps over a scalar or into a collection. Of what may be read here all have a place for a tag. */
  const next = (): Node => {
    const event = events[at]
    // What was read is let go: the collector would copy all of it again and again.
    events[at] = undefined
    at += 1
    if (event === undefined || !isNode(event) || event.tagStart >= 0) refuse(origin, 'not_yaml')
    return event
  }
  const scalar = (): ScalarEvent => {
    const event = next()
    return event.type === EVENT_ID.SCALAR ? event : refuse(origin, 'wrong_type')
  }
  const isAtEnd = (): boolean => {
    if (events[at]?.type !== EVENT_ID.POP) return false
    at += 1
    return true
  }
  // Each level has one list of keys, which every mapping of it uses again: a lock has tens of thousands.
  const levels: Keys[] = []
  let level = 0
  const inPairs = (take: (key: string) => void): void => {
    const keys = (levels[level] ??= makeKeys())
    level += 1
    keys.clear()
    while (!isAtEnd()) {
      const key = textOf(source, scalar())
      if (!keys.add(key)) refuse(origin, 'not_yaml')
      take(key)
    }
    level -= 1
  }
  const skip = (): void => {
    const { type } = next()
    if (type === EVENT_ID.MAPPING) inPairs(skip)
    else if (type === EVENT_ID.SEQUENCE) while (!isAtEnd()) skip()
  }
  return {
    pairs(take) {
      if (next().type !== EVENT_ID.MAPPING) refuse(origin, 'wrong_type')
      inPairs(take)
    },
    text: () => textOf(source, scalar()),
    isTrue() {
      const event = events[at]
      skip()
      if (event?.type !== EVENT_ID.SCALAR || event.style !== SCALAR_STYLE.PLAIN) return false
      return boolCoreTag.resolve(getScalarValue(text, event), false, boolCoreTag.tagName) === true
    },
    skip,
    position: () => at,
  }
}

/** The text of a scalar; what YAML reads as anything else is refused. */
export function textOf({ text, origin }: YamlSource, event: ScalarEvent): string {
  const value = getScalarValue(text, event)
  return event.style === SCALAR_STYLE.PLAIN && !isPlainText(value) ? refuse(origin, 'wrong_type') : value
}

/** The position behind the value that begins at a position. */
export function endOf(events: YamlSource['events'], start: number): number {
  let level = 0
  for (let at = start; at < events.length; at += 1) {
    const type = events[at]?.type
    if (type === EVENT_ID.POP) level -= 1
    else if (type !== EVENT_ID.SCALAR && type !== EVENT_ID.ALIAS) level += 1
    if (level === 0) return at + 1
  }
  return events.length
}

/** The keys of one mapping after the other. */
interface Keys {
  clear(): void
  /** False for a key that was added before. */
  add(key: string): boolean
}

/** So many keys are compared with each other; of more a set is made. */
const FEW = 8

/** A key behind the greatest one is new, and managers sort what is large. */
function makeKeys(): Keys {
  const known: string[] = []
  let count = 0
  let greatest = ''
  let set: Set<string> | undefined
  const has = (key: string): boolean => {
    if (count > FEW) return (set ??= new Set(known.slice(0, count))).has(key)
    for (let at = 0; at < count; at += 1) if (known[at] === key) return true
    return false
  }
  return {
    clear() {
      count = 0
      set = undefined
    },
    add(key) {
      if (count === 0 || key > greatest) greatest = key
      else if (has(key)) return false
      known[count] = key
      count += 1
      set?.add(key)
      return true
    },
  }
}

const OTHER_SCALARS = [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag]

/** The longest word that is no text, `false`, and what such words begin with. */
const LONGEST_WORD = 5
const FIRST_OF_WORDS = /^[~nNtTfF]/
const COLON = 58

/** Whether a scalar without quotes is a text. Most are known by a letter at their begin, and versions by a second dot. */
function isPlainText(value: string): boolean {
  if (value.charCodeAt(0) > COLON && (value.length > LONGEST_WORD || !FIRST_OF_WORDS.test(value))) return true
  const dot = value.indexOf('.')
  if (dot > 0 && value.includes('.', dot + 1)) return true
  return OTHER_SCALARS.every((tag) => tag.resolve(value, false, tag.tagName) === NOT_RESOLVED)
}
