import type { DoctorFamily } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { type Checked, gatherChecks } from '#/doctor/gather.ts'
import { isFinding } from '#/doctor/issues.ts'
import { judge, type Judged, type Live } from '#/doctor/judge.ts'
import type { Check, NodeRecord } from '#/nodes/api.ts'

export type JudgedByFamily = ReadonlyMap<DoctorFamily, readonly Judged[]>

/**
 * Records are read before the machine is asked, and requests change both meanwhile. What differs is therefore judged once more by
 * the records as they are by then, with what the machine answered: a difference that is gone is none, and so is one of a resource
 * that is gone (decision 0332).
 */
export async function judgeAgain(
  deps: Checked,
  call: Call,
  node: NodeRecord,
  live: Live,
  judged: JudgedByFamily,
): Promise<JudgedByFamily> {
  const doubtful = [...judged].filter(([, all]) => all.some(isDoubtful)).map(([family]) => family)
  if (doubtful.length === 0) return judged
  const fresh = await gatherChecks(deps, new Set(doubtful), call, node)
  const confirmed = doubtful.map(async (family) => {
    const waiting = Map.groupBy(fresh.get(family) ?? [], keyOf)
    const paired = (judged.get(family) ?? []).map((one) => ({
      one,
      again: waiting.get(keyOf(one.check))?.shift(),
    }))
    const verdicts = paired.map(async ({ one, again }) =>
      isDoubtful(one) ? confirm(one, again, call, live) : one,
    )
    return [family, await Promise.all(verdicts)] as const
  })
  return new Map([...judged, ...(await Promise.all(confirmed))])
}

/** A check of records alone reads them when it is judged. */
const isDoubtful = ({ check, verdict }: Judged): boolean =>
  check.kind !== 'stored' && verdict !== undefined && isFinding(verdict)

/** The same check of the same resource; of several in the order in which they are made. */
const keyOf = ({ code, resource: { type, id, name } }: Check): string => `${code} ${type} ${id} ${name}`

async function confirm({ check }: Judged, again: Check | undefined, call: Call, live: Live): Promise<Judged> {
  if (!again) return { check, verdict: undefined }
  // Its own question may ask for other resources by now, and was not asked.
  const asked =
    again.kind === 'asked' && check.kind === 'asked' ? { ...again, question: check.question } : again
  return judge(asked, call, live)
}
