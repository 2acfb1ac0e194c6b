import { constructFromEvents, CORE_SCHEMA, EVENT_ID, loadAll, parseEvents } from 'js-yaml'
import { type Origin, refuse } from './failure.ts'
import { LIMITS } from './limits.ts'
import { endOf, makeYamlReader, textOf, type YamlReader, type YamlSource } from './yaml-reader.ts'

/**
 * The documents of a YAML file, read without merges and tags of its own; a key that is given twice is refused. No manager
 * writes aliases, which are what can make a small file a large value; people do, so a file of theirs may have some.
 */
export const parseYaml = (text: string, origin: Origin, maxAliases = 0): readonly unknown[] =>
  orRefuse(origin, () => loadAll(text, { schema: CORE_SCHEMA, maxAliases, maxDepth: LIMITS.depth }))

/** What reads each large section, by its name at the top level. */
export type SectionReaders<Sections> = {
  readonly [Name in keyof Sections]: (reader: YamlReader) => Sections[Name]
}

/** A document whose large sections were read where they are; only the rest of it is made a value. */
export interface Sectioned<Sections> {
  readonly rest: unknown
  /**
   * What was made of a section; throws what its reader threw. Nothing behind such a section is known: `rest` ends before
   * it, and the document is the last one.
   */
  section<Name extends keyof Sections>(name: Name): Sections[Name] | undefined
}

/** The same documents with some sections read on the way. Decision 0261. */
export function parseSections<Sections>(
  text: string,
  readers: SectionReaders<Sections>,
  origin: Origin,
): readonly Sectioned<Sections>[] {
  const source: YamlSource = {
    text,
    events: orRefuse(origin, () => parseEvents(text, { maxDepth: LIMITS.depth })),
    origin,
  }
  const documents: Sectioned<Sections>[] = []
  for (let at = 0; at < source.events.length;) {
    const { end, ...document } = documentAt(source, at, readers)
    documents.push(document)
    at = end
  }
  return documents
}

interface Ended {
  /** The position of the next document. */
  readonly end: number
}

function documentAt<Sections>(
  source: YamlSource,
  start: number,
  readers: SectionReaders<Sections>,
): Sectioned<Sections> & Ended {
  const { events } = source
  if (events[start + 1]?.type !== EVENT_ID.MAPPING) {
    const end = endOf(events, start)
    return { end, rest: valueOf([events.slice(start, end)], source), section: () => undefined }
  }
  const rest: YamlSource['events'][] = [events.slice(start, start + 2)]
  const sections = makeSections(source, readers)
  let at = start + 2
  while (at < events.length && events[at]?.type !== EVENT_ID.POP) {
    const key = events[at]
    const value = endOf(events, at)
    const name = key?.type === EVENT_ID.SCALAR ? textOf(source, key) : ''
    if (sections.isOne(name)) at = sections.read(name, value)
    else {
      const next = endOf(events, value)
      rest.push(events.slice(at, next))
      at = next
    }
  }
  rest.push(ENDS)
  return { end: at + ENDS.length, rest: valueOf(rest, source), section: sections.take }
}

/** Of the mapping and of its document. */
const ENDS: YamlSource['events'] = [{ type: EVENT_ID.POP }, { type: EVENT_ID.POP }]

interface OpenSections<Sections> {
  isOne(name: string): name is keyof Sections & string
  /** Reads the value at a position and returns the one behind it, or the end of the file where it cannot be read. */
  read(name: keyof Sections & string, at: number): number
  take: Sectioned<Sections>['section']
}

function makeSections<Sections>(
  source: YamlSource,
  readers: SectionReaders<Sections>,
): OpenSections<Sections> {
  const made: Partial<Sections> = {}
  let failure: { readonly of: keyof Sections; readonly error: unknown } | undefined
  return {
    isOne: (name): name is keyof Sections & string => Object.hasOwn(readers, name),
    read(name, at) {
      if (Object.hasOwn(made, name)) refuse(source.origin, 'not_yaml')
      const reader = makeYamlReader(source, at)
      try {
        made[name] = readers[name](reader)
        return reader.position()
      } catch (error) {
        failure = { of: name, error }
        return source.events.length
      }
    },
    take(name) {
      if (failure?.of === name) throw failure.error
      return made[name]
    },
  }
}

const valueOf = (parts: readonly YamlSource['events'][], { text, origin }: YamlSource): unknown =>
  orRefuse(origin, () =>
    constructFromEvents(
      parts.flat().filter((event) => event !== undefined),
      { source: text, schema: CORE_SCHEMA, maxAliases: 0 },
    ),
  )[0]

/** Whatever the parser throws is one refusal. */
function orRefuse<T>(origin: Origin, parse: () => T): T {
  try {
    return parse()
  } catch {
    refuse(origin, 'not_yaml')
  }
}
