lagometer
{
	nopicmip
	{
		map gfx/2d/lag.tga
	}
}

disconnected
{
	{
		map gfx/2d/net.tga
	}
}

levelShotDetail
{
	nopicmip
	{
		map textures/sfx/detail.tga
		blendfunc filter
		tcGen vector ( 2 0 0 ) ( 0 2 0 ) 
	}
}

