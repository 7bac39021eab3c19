/** The repositories that a thread has open, each as long as its registration is the same. */
import { Repository } from './repository.js';
import type { RepositoryPlaces } from './places.js';
import type { RepositoryDefinition } from './setting-reader.js';
import { openStore, repositoryOptions } from './settings.js';

/** A definition of a certain registration. */
export interface RegisteredRepository extends RepositoryDefinition {
  readonly uuid: string;
}

export class OpenRepositories {
  private readonly places: RepositoryPlaces;
  private readonly open = new Map<string, { readonly uuid: string; readonly repository: Repository }>();

  constructor(places: RepositoryPlaces) {
    this.places = places;
  }

  of(record: RegisteredRepository): Repository {
    const known = this.open.get(record.name);
    if (known?.uuid === record.uuid) return known.repository;
    const repository = this.make(record);
    this.close(record.name);
    this.open.set(record.name, { uuid: record.uuid, repository });
    return repository;
  }

  /** One that is not registered yet. */
  make(definition: RepositoryDefinition): Repository {
    return new Repository(definition.name, openStore(definition, this.places), repositoryOptions(definition));
  }

  /** Lets go of those that are not registered any more. */
  follow(registered: ReadonlyMap<string, RegisteredRepository>): void {
    for (const [name, { uuid }] of this.open) if (registered.get(name)?.uuid !== uuid) this.close(name);
  }

  private close(name: string): void {
    void this.open.get(name)?.repository.store.close();
    this.open.delete(name);
  }
}
