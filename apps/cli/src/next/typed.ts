import type { ParsedLine } from '#/args/parse.ts'
import type { CommandSpec } from '#/command-spec.ts'
import { isObject } from '#/print/value.ts'
import { shellWord } from '#/shell-word.ts'

/** What was typed, by the placeholder that stands for it in a command: `NODE` for a Node, `KEY` for an argument of that name. */
export type Typed = Readonly<Record<string, string>>

/** The words of a command line that the next step may use again. Secrets are never among them. */
export function typedWords({ positionals, options }: ParsedLine, command: CommandSpec): Typed {
  const typed: Record<string, string> = {}
  const add = (field: CommandSpec['arguments'][number], text: unknown, placeholder: string): void => {
    if (typeof text !== 'string' || field.secret || field.type === 'strings') return
    typed[placeholder] ??= text
    if (field.refers !== undefined) typed[field.refers.toUpperCase()] ??= text
  }
  for (const [at, field] of command.arguments.entries()) add(field, positionals[at], field.name.toUpperCase())
  for (const field of command.options)
    if (field.refers !== undefined) add(field, options.get(field.name)?.[0], field.refers.toUpperCase())
  return typed
}

/** Records that an error names in its details, by the placeholders that stand for them. */
export function namedWords(details: Readonly<Record<string, unknown>> | undefined): Typed {
  const {
    existing_route_id,
    route_id = existing_route_id,
    process_id,
    schedule_id,
    instance_id,
    project_id,
    definition,
  } = details ?? {}
  return wordsOf({
    NODE: nameIn(details?.['node']),
    CLUSTER: nameIn(details?.['cluster']),
    ROUTE: route_id ?? idIn(details?.['route']),
    PROCESS: process_id,
    SCHEDULE: schedule_id,
    INSTANCE: instance_id,
    PROJECT: project_id,
    DEFINITION: definition,
  })
}

/** Records that only an error names: what was typed for another Node never takes their place. */
export const requiredWords = (code: string, details: Readonly<Record<string, unknown>> | undefined): Typed =>
  wordsOf({
    // What a Node refuses is about that one, also where the command names another.
    ...(code.startsWith('node.') ? { NODE: nameIn(details?.['node']) } : {}),
    SERVING: nameIn(details?.['serving_node']),
    CONSUMER: nameIn(details?.['consumer_node']),
    MEMBER: nameIn(details?.['node']),
  })

/** Those that are a name or an id. */
const wordsOf = (named: Readonly<Record<string, unknown>>): Typed =>
  Object.fromEntries(
    Object.entries(named).flatMap(([placeholder, id]) =>
      typeof id === 'number' || typeof id === 'string' ? [[placeholder, String(id)]] : [],
    ),
  )

const nameIn = (record: unknown): unknown => (isObject(record) ? record['name'] : undefined)
const idIn = (record: unknown): unknown => (isObject(record) ? record['id'] : undefined)

/** A next step with what was typed in the place of its placeholders, so that it can be copied. */
export const filledIn = (step: string, typed: Typed = {}): string =>
  step.replaceAll(PLACEHOLDER, (name) => {
    const text = Object.hasOwn(typed, name) ? typed[name] : undefined
    return text === undefined || text === '' ? name : shellWord(text)
  })

/** Not a part of another word, such as a setting or `KEY=VALUE`. */
const PLACEHOLDER = /(?<![\w=/:.-])[A-Z]{3,}(?:-[A-Z]+)*(?![\w=/:-])/g
