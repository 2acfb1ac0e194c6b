import type { Step } from '@fleet/steps'
import type { ProjectCheckout } from '#/instances/api.ts'
import { ofEach, undoEach } from '#/project-updates/each.ts'
import { changes, followersOf, isOnDefaultBranch, type ProjectUpdate } from '#/project-updates/update.ts'

/** `origin` of each checkout leads to the next repository; commits and branches stay (PRJ-047). */
export const origins: Step<ProjectUpdate> = {
  name: 'origins',
  run: async (update) =>
    ofEach(update, 'origins', await withOrigin(update), (of) => lead(update, of, { undoes: false })),
  undo: async (update) => undoEach(await withOrigin(update), (of) => lead(update, of, { undoes: true })),
}

/** Those whose `origin` has another text; one that has the next URL already had it before. */
const withOrigin = async (update: ProjectUpdate): Promise<readonly ProjectCheckout[]> =>
  (await followersOf(update)).filter(({ row }) => {
    const known = update.stored.record.found.origins[row.id]
    return known !== undefined && known !== update.after.repository_url
  })

function lead(update: ProjectUpdate, of: ProjectCheckout, how: { readonly undoes: boolean }): Promise<void> {
  const {
    deps,
    call,
    before,
    after,
    stored: { record },
  } = update
  const [known, next] = [record.found.origins[of.row.id] ?? '', after.repository_url]
  const [from, to] = how.undoes ? [next, known] : [known, next]
  return deps.checkouts.leadOrigin(call, of, { project: before, from, to, ...how })
}

/** The `default` Instance has the next branch checked out, unless it has one of its own (PRJ-048). */
export const branch: Step<ProjectUpdate> = {
  name: 'branch',
  run: async (update) => ofEach(update, 'branch', await switched(update), (of) => toNext(update, of)),
  undo: async (update) => undoEach(await switched(update), (of) => back(update, of)),
}

/** Without those that had it checked out before, and those that the check did not see. */
const switched = async (update: ProjectUpdate): Promise<readonly ProjectCheckout[]> => {
  const { origins, seen = Object.keys(origins).map(Number), switched: before } = update.stored.record.found
  return (await followersOf(update)).filter(
    (of) => isOnDefaultBranch(of) && seen.includes(of.row.id) && !before.includes(of.row.id),
  )
}

/** By then its origin is the next one. */
const toNext = ({ deps, call, after }: ProjectUpdate, of: ProjectCheckout): Promise<void> =>
  deps.checkouts.switchBranch(call, of, {
    project: after,
    from: of.row.selected_branch ?? '',
    to: after.default_branch ?? '',
    drops: false,
    undoes: false,
  })

const back = ({ deps, call, after, stored: { record } }: ProjectUpdate, of: ProjectCheckout): Promise<void> =>
  deps.checkouts.switchBranch(call, of, {
    project: after,
    from: after.default_branch ?? '',
    to: of.row.selected_branch ?? '',
    drops: !record.found.branches.includes(of.row.id),
    undoes: true,
  })

export const checkoutSteps = (update: ProjectUpdate): readonly Step<ProjectUpdate>[] => [
  ...(changes(update, 'repository_url') ? [origins] : []),
  ...(changes(update, 'default_branch') ? [branch] : []),
]
