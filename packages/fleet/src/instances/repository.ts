import type { ProjectRecord } from '#/projects/api.ts'

/** Whether a remote URL is the Project's repository in any of its forms: host and path count, scheme, user and port do not (PRJ-035). */
export const isSameRepository = (
  origin: string,
  project: Pick<ProjectRecord, 'repository_url' | 'repository_identity'>,
): boolean => origin === project.repository_url || identityOf(origin) === project.repository_identity

const identityOf = (url: string): string | undefined => {
  const [, host, path] =
    /^(?:https|ssh):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/i.exec(url) ??
    /^(?:[^@/:]+@)?([^/:]+):(.+)$/.exec(url) ??
    []
  if (host === undefined || path === undefined) return undefined
  return `${host.toLowerCase()}/${path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')}`
}
