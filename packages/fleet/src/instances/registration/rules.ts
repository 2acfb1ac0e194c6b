import { posix } from 'node:path'
import { dnsLabel, fail, type InputOf, invalid, normalizeDomain } from '@fleet/contract'
import type { Survey } from '#/instances/commands/survey-source.ts'
import { DEFAULT_NAME } from '#/instances/rules.ts'
import { type ProjectRecord, rootProblem } from '#/projects/api.ts'

const BRANCH = 'refs/heads/'

/** The branch of HEAD; undefined when it is detached. */
export const branchOf = (head: string): string | undefined =>
  head.startsWith(BRANCH) ? head.slice(BRANCH.length) : undefined

/**
 * `default` for the default branch in a directory with the slug of the Project, otherwise the given name or that of the directory
 * (INS-076). A linked worktree is never `default`. Throws `instance.name_invalid`.
 */
export function registeredName(
  { slug, default_branch }: Pick<ProjectRecord, 'slug' | 'default_branch'>,
  { head, main }: Pick<Survey, 'head' | 'main'>,
  { sourcePath, given }: { readonly sourcePath: string; readonly given: string | undefined },
): string {
  const directory = posix.basename(sourcePath)
  if (main === undefined && directory === slug && branchOf(head) === default_branch) return DEFAULT_NAME
  const name = given ?? directory
  if (dnsLabel.safeParse(name).success && (main === undefined || name !== DEFAULT_NAME)) return name
  throw fail('instance.name_invalid', { details: { name } })
}

/** What the request alone can be refused for. Throws `validation.failed`, `instance.name_invalid` and `route.domain_invalid`. */
export function requireWellFormed({ instance_name: name, root, domain }: InputOf<'instance:register'>): void {
  // A type that may have any root: that of the Project is not known yet.
  const problem = root === undefined ? undefined : rootProblem(root, 'node-package')
  if (problem) throw invalid({ root: [problem] })
  if (name !== undefined && !dnsLabel.safeParse(name).success)
    throw fail('instance.name_invalid', { details: { name } })
  if (domain !== undefined && normalizeDomain(domain) === undefined)
    throw fail('route.domain_invalid', { details: { domain } })
}

/** An absolute path without detours that is no folder above every other one; undefined for any other text. */
export function sourcePathOf(text: string): string | undefined {
  if (!text.startsWith('/') || /[\0\n]/.test(text)) return undefined
  const path = posix.normalize(text).replace(/\/+$/, '')
  return path === '' ? undefined : path
}

/** Whether one of two directories holds the other, or they are the same. */
export const overlaps = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)
