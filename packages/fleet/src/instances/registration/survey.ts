import { posix } from 'node:path'
import { type ErrorCode, fail, type InputOf, invalid } from '@fleet/contract'
import { type NodeRecord, type NodeSession, protectedFrom } from '#/nodes/api.ts'
import type { ProjectRecord } from '#/projects/api.ts'
import { nodeDetail } from '#/instances/checkout-session.ts'
import { type Survey, type SurveyedSource, surveySource } from '#/instances/commands/survey-source.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import { isSameRepository } from '#/instances/repository.ts'
import { repositoryIdentity } from '#/projects/api.ts'
import type { Placement } from '#/instances/guards.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { pathFor } from '#/instances/reserve.ts'
import { overlaps, registeredName } from './rules.ts'

interface Refusal {
  readonly code: ErrorCode
  readonly message: string
}

const refusals: Readonly<Record<Exclude<SurveyedSource['word'], 'surveyed' | 'git-missing'>, Refusal>> = {
  absent: { code: 'instance.source_path_mismatch', message: 'There is no such directory on the Node.' },
  'no-checkout': {
    code: 'instance.source_path_mismatch',
    message: 'The directory is not the top of a Git checkout.',
  },
  unreadable: {
    code: 'instance.source_ownership_mismatch',
    message: "The Node's managed account may not enter the directory.",
  },
  linked: {
    code: 'instance.source_path_mismatch',
    message: 'The path leads through a symbolic link. Give the path without it.',
  },
  foreign: {
    code: 'instance.source_ownership_mismatch',
    message: "The checkout belongs to another account than the Node's managed one.",
  },
  worktree: {
    code: 'instance.source_layout_mismatch',
    message:
      'The directory is a linked worktree, and the checkout that it belongs to is no Instance. Register that one with `include_worktrees`.',
  },
}

/** What the checkout is. Throws when it is none that can be adopted. */
export async function survey(session: NodeSession, sourcePath: string): Promise<Survey> {
  return requireSurveyed(session, sourcePath, await session.ask(surveySource, { sourcePath }))
}

/** The same where there is something at all; undefined where there is nothing. */
export async function surveyIfPresent(session: NodeSession, sourcePath: string): Promise<Survey | undefined> {
  const answer = await session.ask(surveySource, { sourcePath })
  return answer.word === 'absent' ? undefined : requireSurveyed(session, sourcePath, answer)
}

function requireSurveyed(session: NodeSession, sourcePath: string, answer: SurveyedSource): Survey {
  if (answer.word === 'git-missing')
    throw fail('node.capability_missing', { details: { ...nodeDetail(session), capability: 'git' } })
  if (answer.word === 'surveyed') return answer.survey
  const { code, message } = refusals[answer.word]
  throw fail(code, { message, details: { ...nodeDetail(session), source_path: sourcePath } })
}

/** A directory of the calling Node that is to become an Instance. */
export interface Source {
  readonly input: InputOf<'instance:register'>
  readonly sourcePath: string
  readonly node: NodeRecord
  readonly session: NodeSession
}

type Surveyed = Pick<Source, 'sourcePath' | 'node'>

export const refusedWorktree = ({ node, sourcePath }: Surveyed, message: string): Error =>
  fail('instance.source_layout_mismatch', {
    message,
    details: { ...nodeDetail({ node }), source_path: sourcePath },
  })

/** The active Instance with the repository of a linked worktree. */
export async function requireMain(
  { registrations }: Pick<InstanceDeps, 'registrations'>,
  { node, project }: Placement,
  { path, preparation }: NonNullable<Survey['main']>,
): Promise<InstanceRow> {
  const main = preparation === '' ? undefined : await registrations.findByPreparation(preparation)
  if (main?.status === 'active' && main.node_id === node.id && main.checkout_path === path) {
    if (main.project_id === project.id) return main
    throw fail('instance.source_origin_mismatch')
  }
  throw fail(refusals.worktree.code, {
    message: refusals.worktree.message,
    details: { ...nodeDetail({ node }), checkout_path: path },
  })
}

/** Refuses what cannot move, and what would not find its submodules afterwards. What is in its place already stays there. */
export function requireUnbroken(
  found: Survey,
  {
    sourcePath,
    placement,
    name,
  }: { readonly sourcePath: string; readonly placement: Placement; readonly name: string },
): void {
  if (sourcePath === pathFor(placement, { name })) return
  const { node } = placement
  if (!found.isMovable)
    throw fail('instance.source_ownership_mismatch', {
      message: `The Node's managed account may not write to ${posix.dirname(sourcePath)}, so the directory cannot be moved out of it.`,
      details: { ...nodeDetail({ node }), source_path: sourcePath, path: posix.dirname(sourcePath) },
    })
  if (found.hasSubmodules)
    throw refusedWorktree(
      { node, sourcePath },
      'A linked worktree has submodules, which would not be found after a move. Remove it first: `git worktree remove`, or `git submodule deinit` in it.',
    )
}

/** Looks at every linked worktree of a checkout before anything moves. */
export async function requireAdoptable(deps: InstanceDeps, source: Source, found: Survey): Promise<void> {
  const { session, node, sourcePath, input } = source
  const project = await projectOf(deps, found, input.project_id)
  const taken = new Set(await deps.queries.pathsOn(node.id))
  const names = new Set([registeredName(project, found, { sourcePath, given: input.instance_name })])
  for (const path of found.worktrees) {
    if (taken.has(path) || (await deps.registrations.findBySource(node.id, path))) continue
    const worktree = await survey(session, path)
    const name = registeredName(project, worktree, { sourcePath: path, given: undefined })
    requireUnbroken(worktree, { sourcePath: path, placement: { project, node }, name })
    if (names.has(name) || (await deps.queries.findNamed(project.id, name)))
      throw fail('instance.identity_conflict', { details: { name, source_path: path } })
    names.add(name)
  }
}

/** The Project of a checkout: the named one, or the one with the repository of its origin (INS-081). */
export async function projectOf(
  { projects }: Pick<InstanceDeps, 'projects'>,
  { origin }: Survey,
  given: number | undefined,
): Promise<ProjectRecord> {
  if (given === undefined) {
    const identity = origin === '' ? undefined : repositoryIdentity(origin)
    const project = identity === undefined ? undefined : await projects.findByIdentity(identity)
    return project ?? missing()
  }
  const project = await projects.find(given)
  if (!project) throw fail('project.not_found')
  if (!isSameRepository(origin, project)) throw fail('instance.source_origin_mismatch')
  return project
}

const missing = (): never => {
  throw fail('instance.project_missing')
}

/**
 * Refuses a directory that an Instance of the Node has, holds or is inside of, one whose receipt is that of an Instance, and one
 * that holds files of the gateway itself.
 */
export async function requireUnmanaged(
  { queries, registrations, protectedPaths }: InstanceDeps,
  node: NodeRecord,
  sourcePath: string,
  { preparation, main }: { readonly preparation: string; readonly main: InstanceRow | undefined },
): Promise<void> {
  const protectedHere = protectedFrom(sourcePath, { userHome: node.user_home, protectedPaths })
  if (protectedHere.some((path) => overlaps(path, sourcePath)))
    throw invalid({ source_path: ['must not be, contain or lie in a directory of the gateway'] })
  // A linked worktree may be inside of the checkout that it belongs to.
  const paths = (await queries.pathsOn(node.id)).filter(
    (path) => path !== main?.checkout_path || path.startsWith(`${sourcePath}/`),
  )
  const owner = preparation === '' ? undefined : await registrations.findByPreparation(preparation)
  if (owner || paths.some((path) => overlaps(path, sourcePath)))
    throw fail('instance.identity_conflict', {
      details: { ...nodeDetail({ node }), source_path: sourcePath },
    })
}
