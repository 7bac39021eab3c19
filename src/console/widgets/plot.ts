/** The library that draws, loaded after what it needs. Reports of experiments import it from here as well. */
import './usable-language.js';

export { default } from 'uplot';
