import { type ProjectRecord, repositoryIdentity } from '#/projects/api.ts'

/** Whether a remote URL is the Project's repository in any of its forms (PRJ-035). */
export const isSameRepository = (
  origin: string,
  project: Pick<ProjectRecord, 'repository_url' | 'repository_identity'>,
): boolean => origin === project.repository_url || repositoryIdentity(origin) === project.repository_identity
