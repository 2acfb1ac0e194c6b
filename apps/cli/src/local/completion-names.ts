import type { Context } from '#/context.ts'
import { connect } from '#/gateway/connection.ts'
import { nameRules } from '#/hints.ts'
import { namedRecords } from '#/names.ts'
import { isObject } from '#/print/value.ts'
import { readerOf } from '#/read-more.ts'

/** With the start of the program a person waits 300 ms for the gateway, and then does without it. */
const LOOKUP_MILLISECONDS = 220
/** A name is put into the line of a shell as it is. */
const PLAIN_NAME = /^[\w.][\w./-]*$/

interface Wish {
  readonly gateway: string | undefined
  readonly from: string | undefined
}

/** Names of the records of a family that the caller may list; none when the gateway does not answer in time or refuses. */
export async function recordNames(family: string, wish: Wish, context: Context): Promise<readonly string[]> {
  const stop = new AbortController()
  const late = context.clock.sleep(LOOKUP_MILLISECONDS, stop.signal).then(() => undefined)
  const answered = ask(family, wish, context, stop.signal).catch(() => [])
  const names = await Promise.race([answered, late])
  // Ends the request when it was too slow.
  stop.abort()
  return (names ?? []).filter((name) => PLAIN_NAME.test(name))
}

async function ask(
  family: string,
  wish: Wish,
  context: Context,
  stop: AbortSignal,
): Promise<readonly string[]> {
  const rule = nameRules[family]
  if (!rule) return []
  const connection = await connect(context.environment, wish)
  const signal = AbortSignal.any([context.signal, stop])
  const list = readerOf(context.sender(connection), context, { signal })
  if (rule.isOfNode === true)
    return (await namedRecords(family, list)).flatMap(({ names }) => names.slice(0, 1))
  const records = await list(rule.list, {})
  return (Array.isArray(records) ? records : [])
    .filter(isObject)
    .flatMap((record) => rule.names(record, () => undefined).slice(0, 1))
}
