@echo off
rem Runs Tutti from this checkout, after building it if a source has changed since the last build: the twin of tutti.
setlocal EnableExtensions DisableDelayedExpansion
for %%H in ("%~dp0.") do set "home=%%~fH"
set "state=%home%\.tutti"

call "%home%\bin\toolchain.cmd" find_jdk || exit /b 1
call "%home%\bin\toolchain.cmd" find_tornado_sdk
if not exist "%state%" md "%state%"

rem There is no find -newer here. One listing of paths, sizes and times is compared with the last build's instead;
rem robocopy lists all of them in one process, to the second and alike in every language.
:check
call :find_build
set "listing=%state%\sources.%RANDOM%%RANDOM%"
robocopy "%home%" "%state%\none" /L /S /TS /FP /BYTES /NC /NDL /NJH /NJS /NP ^
  /XD .git .github .idea .vscode .tutti golden target >"%listing%"
if not exist "%listing%" goto use_what_is_there
if not defined app goto build
for %%L in ("%listing%") do if %%~zL==0 goto build
fc /b "%listing%" "%state%\%app%\sources" >nul 2>nul || goto build
del "%listing%"
goto run

:build
call "%home%\bin\toolchain.cmd" find_maven || exit /b 1
set "mode=progress"
call :has --verbose %* && set "mode=verbose"
"%JAVA_HOME%\bin\java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "%home%\bin\Build.java" ^
  "%home%" %mode% "%app%" "%tornado_api%" "%listing%" <nul
set "status=%errorlevel%"
if exist "%listing%" del "%listing%"
if "%status%"=="75" goto check
if not "%status%"=="0" exit /b 1
call :find_build
goto run

rem The build cannot be renewed: whether the sources are its own is not known.
:use_what_is_there
if defined app goto run
set "tornado_api="
set "TORNADOVM_HOME="
for /d %%A in ("%state%\app-*") do if exist "%%A\stamp" set "app=%%~nxA"
if not defined app (
  echo tutti: %home% holds no build and cannot be written; build it as a user who can write there, or copy it>&2
  exit /b 1
)
echo tutti: %state%\%app% is not for this TornadoVM SDK and cannot be written; only the host is used>&2

:run
rem The JVM refuses to choose between two collectors.
set "collector="
if defined TUTTI_JAVA_OPTS if not "%TUTTI_JAVA_OPTS:-XX:+Use=%"=="%TUTTI_JAVA_OPTS%" set "collector=-XX:-UseSerialGC"
if defined JDK_JAVA_OPTIONS if not "%JDK_JAVA_OPTIONS:-XX:+Use=%"=="%JDK_JAVA_OPTIONS%" set "collector=-XX:-UseSerialGC"
if defined JAVA_TOOL_OPTIONS if not "%JAVA_TOOL_OPTIONS:-XX:+Use=%"=="%JAVA_TOOL_OPTIONS%" set "collector=-XX:-UseSerialGC"
if defined _JAVA_OPTIONS if not "%_JAVA_OPTIONS:-XX:+Use=%"=="%_JAVA_OPTIONS%" set "collector=-XX:-UseSerialGC"
rem The JVM takes TornadoVM's modules if a device may be needed. For a quick start it takes an AOT cache and the Vector API's
rem classes, which the build made for the JDK that it ran on; with TornadoVM, a copy of that JDK too. Any can be missing.
set "made=%state%\%app%"
set "java=%JAVA_HOME%\bin\java"
set start="--add-modules=jdk.incubator.vector"
set "for=host"
if defined tornado_api if exist "%made%\tornado.options" call :beyond_host %* && set "for=device"
if "%for%"=="device" set start="@%made%\tornado.options"
if not exist "%made%\%for%.options" goto start
fc /b "%JAVA_HOME%\release" "%made%\release" >nul 2>nul || goto start
set start="@%made%\%for%.options" "-Xbootclasspath/a:%made%\vector.jar"
if exist "%made%\%for%.aot" set start=%start% "-XX:AOTCache=%made%\%for%.aot"
if exist "%made%\%for%\bin\java.exe" set "java=%made%\%for%\bin\java"
:start
for /f "tokens=2 delims=:." %%P in ('chcp') do set "page=%%P"
chcp 65001 >nul
"%java%" "@%home%\bin\java.options" %start% "-Dtutti.home=%home%" ^
  %collector% %TUTTI_JAVA_OPTS% -cp "%state%\%app%\lib\*" io.tutti.cli.Main %*
set "status=%errorlevel%"
chcp %page% >nul
exit /b %status%

rem Whether the command line may need another device than the host. A "=" parts arguments here as a blank does.
:beyond_host
if "%~1"=="" exit /b 1
for %%C in (help inspect pull list rm quantize) do if "%~1"=="%%C" exit /b 1
for %%O in (-h --help -V --version) do call :has %%O %* && exit /b 1
:next
if "%~1"=="" exit /b 0
if "%~1"=="--device" if "%~2"=="host" exit /b 1
shift
goto next

rem Whether the first argument is among the others.
:has
set "wanted=%~1"
:look
shift
if "%~1"=="" exit /b 1
if "%~1"=="%wanted%" exit /b 0
goto look

rem Sets app to the newest build's folder that was made for the SDK's jar; empty if there is none. A build is there when it
rem has its stamp, which holds the jar's name.
:find_build
set "app="
for /d %%A in ("%state%\app-*") do if exist "%%A\stamp" call :take_if_ours "%%A"
exit /b 0

:take_if_ours
set "sdk="
set /p "sdk=" <"%~1\stamp"
if "%sdk%"=="%tornado_api%" set "app=%~nx1"
exit /b 0
