/** What segments call the version of their format, in the form of the API's version numbers. */
export const FORMAT_NAME = '1.0.0';
