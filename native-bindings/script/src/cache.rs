//! Compiled programs by source, language and context; and how many may be compiled in a time.

use super::compile::{self, RegexUse};
use super::context::Context;
use super::limits::{CACHE_SIZE, REGEX_LIMIT_FACTOR, SOURCE_BYTES_MAX};
use super::tree::Program;
use super::{expression, failure, statistics};
use indexmap::IndexMap;
use quarry_base::error::{Error, ErrorCode, Result};
use rapidhash::quality::RandomState;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// `script.*` settings of the node and the cluster.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptSettings {
    /// `script.max_size_in_bytes`.
    pub max_size_in_bytes: usize,
    /// `script.cache.max_size`; 0 keeps nothing.
    pub cache_max_size: usize,
    /// `script.cache.expire`; 0 for never.
    pub cache_expire_ms: u64,
    /// `script.max_compilations_rate`: so many in so many milliseconds; none is unlimited.
    pub max_compilations: Option<(u32, u64)>,
    /// `script.painless.regex.enabled` and its factor: `None` for unlimited, 0 for disabled.
    pub regex_limit_factor: Option<u32>,
    /// `script.allowed_contexts`; `None` for all.
    pub allowed_contexts: Option<Vec<String>>,
    /// `script.allowed_types`: whether scripts in requests are allowed.
    pub allows_inline: bool,
    /// Whether stored scripts are allowed.
    pub allows_stored: bool,
}

impl Default for ScriptSettings {
    fn default() -> Self {
        ScriptSettings {
            max_size_in_bytes: SOURCE_BYTES_MAX,
            cache_max_size: CACHE_SIZE,
            cache_expire_ms: 0,
            max_compilations: Some((150, 300_000)),
            regex_limit_factor: Some(REGEX_LIMIT_FACTOR),
            allowed_contexts: None,
            allows_inline: true,
            allows_stored: true,
        }
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Known {
    lang: Box<str>,
    source: Box<str>,
    context: &'static str,
}

struct Cached {
    program: Arc<Program>,
    used: Instant,
}

/// Programs, most recently used last.
struct Cache {
    settings: ScriptSettings,
    programs: IndexMap<Known, Cached, RandomState>,
    /// Compilations that may still be done, and when that was counted.
    allowance: f64,
    counted: Instant,
}

static CACHE: Mutex<Option<Cache>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<Cache>> {
    // A panic while it was held leaves programs that are whole.
    CACHE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn with_cache<T>(use_it: impl FnOnce(&mut Cache) -> T) -> T {
    let mut guard = lock();
    let cache = guard.get_or_insert_with(|| Cache::new(ScriptSettings::default()));
    use_it(cache)
}

impl Cache {
    fn new(settings: ScriptSettings) -> Self {
        let allowance = settings.max_compilations.map_or(0.0, |(count, _)| count.into());
        Cache { settings, programs: IndexMap::default(), allowance, counted: Instant::now() }
    }

    fn find(&mut self, known: &Known) -> Option<Arc<Program>> {
        let place = self.programs.get_index_of(known)?;
        let expire = Duration::from_millis(self.settings.cache_expire_ms);
        let last = self.programs.len() - 1;
        self.programs.move_index(place, last);
        let (_, cached) = self.programs.last_mut()?;
        if !expire.is_zero() && cached.used.elapsed() > expire {
            self.programs.pop();
            statistics::count_eviction();
            return None;
        }
        cached.used = Instant::now();
        Some(Arc::clone(&cached.program))
    }

    fn keep(&mut self, known: Known, program: &Arc<Program>) {
        while !self.programs.is_empty() && self.programs.len() >= self.settings.cache_max_size {
            self.programs.shift_remove_index(0);
            statistics::count_eviction();
        }
        if self.settings.cache_max_size > 0 {
            self.programs.insert(known, Cached { program: Arc::clone(program), used: Instant::now() });
        }
    }

    /// A bucket that fills at the rate and empties by one for each compilation.
    fn count_compilation(&mut self) -> Result<()> {
        let Some((count, period_ms)) = self.settings.max_compilations else { return Ok(()) };
        let passed = self.counted.elapsed().as_secs_f64() * 1_000.0;
        self.counted = Instant::now();
        let refilled = self.allowance + passed * f64::from(count) / period_ms.max(1) as f64;
        self.allowance = refilled.min(count.into());
        if self.allowance >= 1.0 {
            self.allowance -= 1.0;
            return Ok(());
        }
        statistics::count_compilation_limit();
        let minutes = period_ms / 60_000;
        let reason = format!(
            "[script] Too many dynamic script compilations within, max: [{count}/{minutes}m]; please use indexed, or \
             scripts with parameters instead; this limit can be changed by the [script.max_compilations_rate] setting"
        );
        Err(Error::new(ErrorCode::CircuitBreaking, reason))
    }
}

/// Takes over settings; what is cached stays as far as it fits.
pub fn configure(settings: ScriptSettings) {
    with_cache(|cache| {
        if cache.settings.max_compilations != settings.max_compilations {
            cache.allowance = settings.max_compilations.map_or(0.0, |(count, _)| count.into());
        }
        if cache.settings.regex_limit_factor != settings.regex_limit_factor {
            cache.programs.clear();
        }
        while cache.programs.len() > settings.cache_max_size {
            cache.programs.shift_remove_index(0);
            statistics::count_eviction();
        }
        cache.settings = settings;
    });
}

/// The program of a source, from the cache or compiled.
///
/// Errors: `Script` `compile error` with its place; `IllegalArgument` for a language that there is not, a source that is
/// too long, a context that is not allowed; `CircuitBreaking` for too many compilations.
pub fn compile(lang: &str, source: &str, context: &'static Context) -> Result<Arc<Program>> {
    let known = Known { lang: lang.into(), source: source.into(), context: context.name };
    let (found, settings) = with_cache(|cache| (cache.find(&known), cache.settings.clone()));
    check_allowed(&settings, context)?;
    if let Some(program) = found {
        return Ok(program);
    }
    if source.len() > settings.max_size_in_bytes {
        return Err(Error::illegal_argument(format!(
            "exceeded max allowed inline script size in bytes [{}] with size [{}] for script [{}]",
            settings.max_size_in_bytes,
            source.len(),
            source.chars().take(100).collect::<String>()
        )));
    }
    if !matches!(lang, "painless" | "expression") {
        return Err(Error::illegal_argument(format!("script_lang not supported [{lang}]")));
    }
    with_cache(Cache::count_compilation)?;
    let regex = match settings.regex_limit_factor {
        None => RegexUse::Unlimited,
        Some(0) => RegexUse::Disabled,
        Some(factor) => RegexUse::Limited(factor),
    };
    let program = Arc::new(compiled(lang, source, context, regex)?);
    statistics::count_compilation();
    with_cache(|cache| cache.keep(known, &program));
    Ok(program)
}

fn check_allowed(settings: &ScriptSettings, context: &Context) -> Result<()> {
    let allowed = settings.allowed_contexts.as_ref();
    if allowed.is_none_or(|allowed| allowed.iter().any(|name| name == context.name)) {
        return Ok(());
    }
    Err(Error::illegal_argument(format!("cannot execute scripts using [{}] context", context.name)))
}

/// Compiles without the cache.
pub fn compiled(lang: &str, source: &str, context: &'static Context, regex: RegexUse) -> Result<Program> {
    let result = match lang {
        "expression" => expression::compile(source, context),
        _ => compile::compile(source, context, regex),
    };
    result.map_err(|fault| failure::of_compilation(source, lang, *fault))
}

/// Whether a script of a request, or a stored one, may run at all.
pub fn check_type(is_stored: bool) -> Result<()> {
    let allowed =
        with_cache(|cache| if is_stored { cache.settings.allows_stored } else { cache.settings.allows_inline });
    if allowed {
        return Ok(());
    }
    let kind = if is_stored { "stored" } else { "inline" };
    Err(Error::illegal_argument(format!("cannot execute [{kind}] scripts")))
}
