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

/** A document whose large sections are read where they are; only the rest of it is made a value. */
export interface Sectioned {
  readonly rest: unknown
  /** What reads a section of the top level, once. */
  section(name: string): YamlReader | undefined
}

/** The same documents with some sections left for readers. Decision 0261. */
export function parseSections(
  text: string,
  large: ReadonlySet<string>,
  origin: Origin,
): readonly Sectioned[] {
  const source: YamlSource = {
    text,
    events: orRefuse(origin, () => parseEvents(text, { maxDepth: LIMITS.depth })),
    origin,
  }
  const documents: Sectioned[] = []
  for (let at = 0; at < source.events.length;) {
    const { end, ...document } = documentAt(source, at, large)
    documents.push(document)
    at = end
  }
  return documents
}

interface Ended {
  /** The position of the next document. */
  readonly end: number
}

function documentAt(source: YamlSource, start: number, large: ReadonlySet<string>): Sectioned & Ended {
  const { events, text, origin } = source
  const sections = new Map<string, number>()
  const rest: YamlSource['events'][] = []
  let at = start
  if (events[start + 1]?.type === EVENT_ID.MAPPING) {
    rest.push(events.slice(start, start + 2))
    at = start + 2
    while (events[at]?.type !== EVENT_ID.POP) {
      const value = endOf(events, at)
      const next = endOf(events, value)
      const key = events[at]
      const name = key?.type === EVENT_ID.SCALAR ? textOf(source, key) : ''
      if (!large.has(name)) rest.push(events.slice(at, next))
      else if (sections.has(name)) refuse(origin, 'not_yaml')
      else sections.set(name, value)
      at = next
    }
  }
  // Behind a mapping the document ends with it; any other value is small or refused.
  const end = at === start ? endOf(events, start) : at + 2
  rest.push(events.slice(at, end))
  const [value] = orRefuse(origin, () =>
    constructFromEvents(
      rest.flat().filter((event) => event !== undefined),
      { source: text, schema: CORE_SCHEMA, maxAliases: 0 },
    ),
  )
  return {
    end,
    rest: value,
    section(name) {
      const position = sections.get(name)
      return position === undefined ? undefined : makeYamlReader(source, position)
    },
  }
}

/** Whatever the parser throws is one refusal. */
function orRefuse<T>(origin: Origin, parse: () => T): T {
  try {
    return parse()
  } catch {
    refuse(origin, 'not_yaml')
  }
}
