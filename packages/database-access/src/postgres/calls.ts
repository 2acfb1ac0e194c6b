import type { Aggregate, CatalogFunction } from './catalog.ts'
import { listBehind, typeOf } from './printed-types.ts'
import { NO_IDS } from './tree.ts'

/** Pseudo-types for which the server puts the types of a call (extend-type-system.html#EXTEND-TYPES-POLYMORPHIC). */
const POLYMORPHIC = new Set([2283, 2277, 2776, 3500, 3831, 4537, 5077, 5078, 5079, 5080, 4538])

/** Whether the text of a function means something only where the types of its arguments are known. */
export const isPolymorphic = ({ argumentTypes }: Pick<CatalogFunction, 'argumentTypes'>): boolean =>
  argumentTypes.some((type) => POLYMORPHIC.has(type))

/** Printed trees in one line. Undefined where a name is broken so that its braces and those of nodes look the same. */
export function inOneLine(trees: readonly string[]): string | undefined {
  // The server breaks the lines of a print at blanks, and a name of more than 78 bytes anywhere.
  const all = trees.join(' ').replaceAll(/\s+/g, ' ')
  return BROKEN.test(all) ? undefined : all
}

/** Every place of printed trees that names an object by its id, from the name of the field on. */
export const mentionsOf = (all: string, id: number): readonly string[] =>
  [...all.matchAll(new RegExp(`:(\\w+) ${id}(?![\\w.])`, 'g'))]
    .filter(([, field = '']) => !NO_IDS.test(field))
    .map(({ index }) => all.slice(index))

/** A backslash that may have lost what it stood before (outToken and format_node_dump). */
const BROKEN = /\\ [{}\\]/

/**
 * The types that a polymorphic function is called with, for each of its calls: by itself, or as a part of an aggregate.
 * Undefined unless each mention of it and of its aggregates is a call whose types are printed.
 */
export function typesOfCalls(
  trees: readonly string[],
  { id, argumentTypes, partOf }: CatalogFunction,
): readonly (readonly number[])[] | undefined {
  const all = inOneLine(trees)
  if (all === undefined) return undefined
  const calls = mentionsOf(all, id).map((mention) =>
    completed(typesInPlace(argumentsBehind(mention)), argumentTypes),
  )
  for (const aggregate of partOf)
    for (const mention of mentionsOf(all, aggregate.id)) {
      const given = typesOfAggregate(mention)
      calls.push(given && throughAggregate(argumentTypes, aggregate, given))
    }
  return calls.length > 0 && calls.every((types) => types !== undefined) ? calls : undefined
}

/** The types of arguments, those that are given by name in their places. */
function typesInPlace(printed: readonly string[] | undefined): readonly (number | undefined)[] | undefined {
  if (printed === undefined) return undefined
  const types: (number | undefined)[] = []
  for (const [at, argument] of printed.entries()) {
    const [, value, place = at] = NAMED.exec(argument) ?? [argument, argument]
    types[Number(place)] = typeOf(value ?? '')
  }
  return types
}

const NAMED = /^\{NAMEDARGEXPR :arg (\{.*\}) :name \S+ :argnumber (\d+) :location -?\d+\}$/

/**
 * The declared types, and those of a call in the place of pseudo-types. One whose argument is left out stays: its default
 * has no type of a call.
 */
function completed(
  given: readonly (number | undefined)[] | undefined,
  declared: readonly number[],
): readonly number[] | undefined {
  if (given === undefined || given.length > declared.length) return undefined
  const types = declared.map((type, place) => (POLYMORPHIC.has(type) ? given[place] : type))
  const areKnown = types.every((type) => type !== undefined && !POLYMORPHIC.has(type))
  return areKnown ? (types as readonly number[]) : undefined // as: each was compared with undefined.
}

/**
 * What an aggregate is given for a pseudo-type its part is given, too, if it is declared with the same one in the same
 * place, the state first. Otherwise the part may be called with the type of a state, or with another argument.
 */
function throughAggregate(
  types: readonly number[],
  { kind, stateTypes, argumentTypes }: Aggregate,
  given: readonly number[],
): readonly number[] | undefined {
  const isSame = types.every(
    (type, place) =>
      !POLYMORPHIC.has(type) ||
      (place === 0 ? stateTypes.every((state) => state === type) : argumentTypes[place - 1] === type),
  )
  if (!isSame || kind !== 'n' || argumentTypes.length !== given.length) return undefined
  return completed(
    types.map((type) => given[argumentTypes.indexOf(type)]),
    types,
  )
}

const AGGREGATE =
  /^:aggfnoid \d+ :aggtype \d+ :aggcollid \d+ :inputcollid \d+ :aggtranstype \d+ :aggargtypes \(o((?: \d+)+)\)/
const WINDOW = /^:winfnoid \d+ :wintype \d+ :wincollid \d+ :inputcollid \d+ :args \(/

function typesOfAggregate(mention: string): readonly number[] | undefined {
  const printed = AGGREGATE.exec(mention)?.[1]
  if (printed !== undefined) return printed.trim().split(' ').map(Number)
  const types = listBehind(WINDOW, mention)?.map(typeOf)
  return types?.every((type) => type !== undefined) ? types : undefined
}

const CALL =
  /^:funcid \d+ :funcresulttype \d+ :funcretset \w+ :funcvariadic \w+ :funcformat \d+ :funccollid \d+ :inputcollid \d+ :args \(/

/** The arguments of a call as they are printed, behind the id of the function. */
export function argumentsBehind(text: string): readonly string[] | undefined {
  return listBehind(CALL, text)
}
