/** Object ids in a query tree as the server prints it (nodeToString of outfuncs.c). */
export interface TreeIds {
  /** Functions of the system that the tree calls. */
  readonly functions: readonly number[]
  /** Types that the tree names, those of the system included. */
  readonly types: readonly number[]
  /** Operators of the system by which the tree sorts. */
  readonly sortOperators: readonly number[]
  /** Everything that was created after initdb, whatever it is: function, operator, type, relation, operator class. */
  readonly objects: readonly number[]
}

/** FirstNormalObjectId of access/transam.h: smaller ids are given by initdb alone. */
export const FIRST_USER_ID = 16_384

/** FirstGenbkiObjectId of access/transam.h: no type below it is a domain, which somebody may give checks. */
const FIRST_GENERATED_ID = 10_000

/** Whether a type is one that nobody gives checks. */
export const isWithoutChecks = (type: number): boolean => type < FIRST_GENERATED_ID

const FIELDS = /:(\w+)\s+(?:(\d+)|\(o((?:\s+\d+)+)\))(?=[\s)}])/g
/** Numbers that are places in the text, type modifiers or bits. */
export const NO_IDS = /location$|^stmt_len$|typmod$|^(attnum|resno|varno|queryId|constvalue|frameOptions)$/
const FUNCTION = /funcid$|fnoid$|handler$|Func$/
const TYPE = /type|typeid|typid/i
const SORT_OPERATOR = /sortop$/i

/** Collects by the shape of the print, so that a field of a later version is not missed. */
export function idsOf(trees: readonly string[]): TreeIds {
  const functions = new Set<number>()
  const types = new Set<number>()
  const sortOperators = new Set<number>()
  const objects = new Set<number>()
  for (const tree of trees)
    for (const [, field = '', one, many] of tree.matchAll(FIELDS)) {
      if (NO_IDS.test(field)) continue
      for (const text of (one ?? many ?? '').trim().split(/\s+/)) {
        const id = Number(text)
        if (id >= FIRST_USER_ID) objects.add(id)
        else if (FUNCTION.test(field) && id > 0) functions.add(id)
        else if (SORT_OPERATOR.test(field) && id > 0) sortOperators.add(id)
        if (TYPE.test(field) && id > 0) types.add(id)
      }
    }
  return {
    functions: [...functions],
    types: [...types],
    sortOperators: [...sortOperators],
    objects: [...objects],
  }
}
