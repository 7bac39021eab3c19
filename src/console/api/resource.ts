/** What is read at a path; `answer` only carries the type. In a file of its own, so that tests without a browser can import lists of these. */
export interface Resource<T> {
  readonly path: string;
  readonly answer?: T;
}
